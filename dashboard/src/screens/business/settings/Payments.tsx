import {
  Group,
  NumberInput,
  Radio,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import type { ReactNode } from 'react'
import type { UpdateProfileSettingsInput } from '../../../../../sdk/src/operations.ts'
import { act, useOperation } from '../../../api/hooks.ts'
import { useOwnRole, usePermission } from '../../../api/permissions.ts'
import { Failure } from '../../../ui/feedback.tsx'
import { channelName } from '../../../ui/values.tsx'
import { listed } from '../providers/names.ts'
import { SettingForm, SettingsPart } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'

export function Payments(section: SectionProps) {
  return (
    <>
      <Fees />
      <ManualPayment {...section} />
      <InvoiceNumbers {...section} />
      <Rule
        {...section}
        id="fee-bearer"
        title="Fee paid by"
        about="Payment pages and split pages can override this setting."
        field="feeBearer"
        choices={BEARERS}
        done="Fee setting saved."
      />
      <Rule
        {...section}
        id="virtual-accounts"
        title="When the amount is not exact"
        about="What to do when a payer transfers more or less than the amount due."
        field="virtualAccountPolicy"
        choices={POLICIES}
        done="Payment rule saved."
        note={<OnlyExact />}
      />
    </>
  )
}

type Rules = Pick<UpdateProfileSettingsInput, 'feeBearer' | 'virtualAccountPolicy'>

interface RuleProps extends Pick<SectionProps, 'rules' | 'mayWrite'> {
  id: string
  title: string
  about: string
  field: keyof Rules
  choices: readonly Choice[]
  done: string
  note?: ReactNode
}

/** Names the connected providers whose accounts return every other amount to the payer. */
function OnlyExact() {
  const may = usePermission()
  const { data } = useOperation('list_providers', undefined, { enabled: may('providers:read') })
  const titles = (data?.data ?? [])
    .filter(({ status, depositAmounts }) => status === 'Active' && depositAmounts === 'exact')
    .map(({ title }) => title)
  if (titles.length === 0) return null
  return (
    <Text size="sm" c="dimmed">
      Not available at {listed([...new Set(titles)])}: its accounts return any other amount to the
      payer.
    </Text>
  )
}

function Rule({ rules, mayWrite, id, title, about, field, choices, done, note }: RuleProps) {
  return (
    <SettingForm
      id={id}
      title={title}
      about={about}
      values={{ [field]: rules[field] } as Rules}
      action={act('update_profile_settings', { input: (values: Rules) => values, done })}
      mayWrite={mayWrite}
    >
      {(form) => (
        <Radio.Group aria-label={title} {...form.field(field)}>
          <Stack gap="sm">
            {choices.map((one) => (
              <Radio key={one.value} {...one} />
            ))}
            {note}
          </Stack>
        </Radio.Group>
      )}
    </SettingForm>
  )
}

function Fees() {
  const { data, error, isPending, refetch } = useOperation('get_fees')
  const fees = data?.data
  const agreed =
    fees?.isDefault === false
      ? 'These fees were agreed with your business.'
      : 'These are the standard fees.'
  return (
    <SettingsPart
      id="fees"
      title="Fees"
      about={`Set by the operator of this server. ${fees ? agreed : ''}`}
    >
      {isPending && <Skeleton height={188} />}
      {error && <Failure error={error} again={() => void refetch()} />}
      {fees && (
        <div className="fees">
          <table>
            <caption>Per successful payment</caption>
            <tbody>
              {fees.channels.map(({ channel, words }) => (
                <tr key={channel}>
                  <th scope="row">{channelName(channel)}</th>
                  <td>{words}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <table>
            <caption>Per transfer, in addition to the amount</caption>
            <tbody>
              {fees.transfers.map((words) => (
                <tr key={words}>
                  <td>{words}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {fees && (
        <Text size="sm" c="dimmed" mt="sm">
          For currencies other than the naira, only the percentage applies.
        </Text>
      )}
    </SettingsPart>
  )
}

/** The numbering applies to future invoices in this mode. */
function InvoiceNumbers({ rules, mayWrite }: Pick<SectionProps, 'rules' | 'mayWrite'>) {
  const { invoicePrefix, nextInvoiceNumber } = rules
  return (
    <SettingForm<{ invoicePrefix: string; nextInvoiceNumber: number | string }>
      id="invoice-numbers"
      title="Invoice numbers"
      about="New invoices, including drafts, are numbered consecutively, with no gaps. Test and live invoices are numbered separately."
      values={{ invoicePrefix, nextInvoiceNumber }}
      action={act('update_profile_settings', {
        input: (values: { invoicePrefix: string; nextInvoiceNumber: number | string }) => ({
          ...(values.invoicePrefix !== invoicePrefix && {
            invoicePrefix: values.invoicePrefix.trim(),
          }),
          ...(values.nextInvoiceNumber !== nextInvoiceNumber && {
            nextInvoiceNumber: Number(values.nextInvoiceNumber),
          }),
        }),
        done: 'Invoice numbers saved.',
      })}
      mayWrite={mayWrite}
      validate={{
        invoicePrefix: (prefix: string) => (prefix.trim() ? null : 'Enter a prefix.'),
        nextInvoiceNumber: (next: number | string) =>
          Number(next) >= nextInvoiceNumber
            ? null
            : `Enter ${nextInvoiceNumber} or higher: the next number can only increase.`,
      }}
    >
      {(form) => (
        <>
          <Group align="flex-start" gap="md">
            <TextInput label="Prefix" maxLength={16} {...form.field('invoicePrefix')} />
            <NumberInput
              label="Next number"
              min={1}
              max={999_999_999}
              allowDecimal={false}
              {...form.field('nextInvoiceNumber')}
            />
          </Group>
          <Text size="sm" c="dimmed">
            Your next invoice is{' '}
            {form.values.invoicePrefix + String(form.values.nextInvoiceNumber).padStart(6, '0')}.
          </Text>
        </>
      )}
    </SettingForm>
  )
}

interface Values extends Record<string, unknown> {
  bankName: string
  accountNumber: string
  accountName: string
  instructions: string
}

/** Asks for what payers see while they can't pay online. Payers don't see empty fields. */
function ManualPayment({ rules, mayWrite }: Pick<SectionProps, 'rules' | 'mayWrite'>) {
  const isOwner = useOwnRole() === 'owner'
  const stored = rules.manualPayment
  const isNone = (values: Values) => Object.values(values).every((text) => text === '')
  const needed = (text: string, values: Values) =>
    text === '' && !isNone(values) ? 'Required unless you leave all fields blank.' : null
  return (
    <SettingForm<Values>
      id="manual-payment"
      title="Payment instructions"
      about="Invoices and invoice emails show this account until a payment provider is connected."
      values={{
        bankName: stored?.bankName ?? '',
        accountNumber: stored?.accountNumber ?? '',
        accountName: stored?.accountName ?? '',
        instructions: stored?.instructions ?? '',
      }}
      action={act('update_profile_settings', {
        input: ({ bankName, accountNumber, accountName, instructions }: Values) => {
          const account = { bankName, accountNumber, accountName }
          const isCleared = isNone({ ...account, instructions })
          return {
            manualPayment: isCleared ? null : { ...account, instructions: instructions || null },
          }
        },
        done: 'Payment instructions saved.',
      })}
      mayWrite={mayWrite && isOwner}
      validate={{ bankName: needed, accountNumber: needed, accountName: needed }}
    >
      {(form) => (
        <>
          {!isOwner && (
            <Text size="sm" c="dimmed">
              Only an owner can change the payment instructions.
            </Text>
          )}
          <TextInput label="Bank" maxLength={100} {...form.field('bankName')} />
          <TextInput label="Account number" maxLength={34} {...form.field('accountNumber')} />
          <TextInput label="Account name" maxLength={200} {...form.field('accountName')} />
          <Textarea label="Instructions" maxLength={500} autosize {...form.field('instructions')} />
        </>
      )}
    </SettingForm>
  )
}

interface Choice {
  value: string
  label: string
  description: string
}

const BEARERS: readonly Choice[] = [
  { value: 'business', label: 'You', description: 'We deduct the fee from what you receive.' },
  { value: 'customer', label: 'The payer', description: 'We add the fee to what the payer pays.' },
  {
    value: 'subaccounts',
    label: 'The subaccounts',
    description: 'For split payments, we deduct the fee from the subaccounts’ shares.',
  },
]

const POLICIES: readonly Choice[] = [
  { value: 'exact', label: 'Exact amount only', description: 'We return any other amount.' },
  {
    value: 'accept_over',
    label: 'Exact amount or more',
    description: 'We hold any excess for the payer until you refund it.',
  },
  {
    value: 'accept_partial',
    label: 'Any amount',
    description: 'A smaller amount counts as a partial payment, and the rest is still due.',
  },
]
