import {
  Box,
  Checkbox,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import type { CreateUssdTransactionResponse } from '../../../../../sdk/src/operations.ts'
import { useMode } from '../../../api/history.ts'
import { act, useMe, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import type { OperationResponse } from '../../../api/request.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, DetailPage } from '../../../ui/DetailPage.tsx'
import { useSubmit } from '../../../ui/forms.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import { useGo, useSearchState } from '../../../ui/navigation.ts'
import { ShareSelect } from '../../../ui/ShareSelect.tsx'
import { type FormState, useForm } from '../../../ui/use-form.ts'
import { channelName, money } from '../../../ui/values.tsx'
import { UssdCode } from './UssdCode.tsx'

type Way = 'link' | 'ussd'

const BEARERS = { '': 'Default', customer: 'The payer', business: 'You' }

const CHANNELS = ['BANK_TRANSFER', 'USSD', 'CARD'] as const
type Channel = (typeof CHANNELS)[number]

interface Values extends Record<string, unknown> {
  amount: number | string
  customerEmail: string
  customerName: string
  customerPhone: string
  minutes: string
  channels: Channel[]
  /** `split 12` or `subaccount SUB_…`; '' if the payment is not shared. */
  share: string | null
  feeBearer: keyof typeof BEARERS
  callbackUrl: string
  reference: string
  bankCode: string | null
  message: string
}

const EMPTY: Values = {
  amount: '',
  customerEmail: '',
  customerName: '',
  customerPhone: '',
  minutes: '30',
  channels: [...CHANNELS],
  share: null,
  feeBearer: '',
  callbackUrl: '',
  reference: '',
  bankCode: null,
  message: '',
}

const checksOf = (way: Way) => ({
  amount: (amount: number | string) => (Number(amount) > 0 ? null : 'Must be more than zero.'),
  ...(way === 'link' && {
    customerEmail: (email: string) =>
      /^\S+@\S+$/.test(email.trim()) ? null : 'Enter an email address for the receipt.',
    channels: (channels: string[]) =>
      channels.length > 0 ? null : 'Choose at least one payment method.',
  }),
})

function sharedBy(share: string | null) {
  const [kind, id] = (share ?? '').split(' ')
  return {
    ...(kind === 'split' && { splitPageId: id }),
    ...(kind === 'subaccount' && { subaccountCode: id }),
  }
}

const filled = <Name extends string>(fields: Record<Name, string>): { [name in Name]?: string } =>
  Object.fromEntries(
    Object.entries<string>(fields)
      .map(([name, text]) => [name, text.trim()])
      .filter(([, text]) => text),
  ) as { [name in Name]?: string }

const toCheckout = (values: Values) => ({
  amount: values.amount,
  expiresInMinutes: Number(values.minutes),
  channels: values.channels,
  customerEmail: values.customerEmail.trim(),
  ...filled({
    customerName: values.customerName,
    customerPhone: values.customerPhone,
    callbackUrl: values.callbackUrl,
    reference: values.reference,
  }),
  ...(values.feeBearer && { feeBearer: values.feeBearer }),
  ...sharedBy(values.share),
})

const toUssd = ({ amount, share, bankCode, message }: Values) => ({
  channel: 'USSD' as const,
  amount,
  ...filled({ bankCode: bankCode ?? '', message }),
  ...(sharedBy(share).splitPageId && { pageId: sharedBy(share).splitPageId }),
})

const NEW = { isPending: false, error: null, data: true, refetch: () => undefined }

type Answer =
  | OperationResponse<'initialize_checkout'>
  | OperationResponse<'create_ussd_transaction'>

/**
 * Takes a single payment through a payment link, or through a USSD code that the payer dials at
 * once.
 */
export function NewPayment() {
  const [{ by }, change] = useSearchState()
  const may = usePermission()
  const { data: me } = useMe()
  // The server would refuse all payments, so the form is hidden.
  const isClosed = useMode() === 'live' && me?.liveMissing.includes('payments')
  const way: Way = by === 'ussd' || !may('checkout:write') ? 'ussd' : 'link'
  const [code, setCode] = useState<CreateUssdTransactionResponse>()
  return (
    <DetailPage back={{ to: 'payments', label: 'Payments' }} title="Take a payment" read={NEW}>
      <Box maw={620}>
        {isClosed ? (
          <Card>
            <Text>
              You can’t take live payments yet because no payment provider takes payments for this
              business. Try it in test mode.
            </Text>
          </Card>
        ) : code ? (
          <UssdCode of={code} onAgain={() => setCode(undefined)} />
        ) : (
          <Card>
            <Stack>
              {may('checkout:write') && (
                <SegmentedControl
                  aria-label="Payment method"
                  fullWidth
                  data={[
                    { value: 'link', label: 'Payment link' },
                    { value: 'ussd', label: 'USSD code' },
                  ]}
                  value={way}
                  onChange={(wanted) =>
                    change({ by: wanted === 'ussd' ? wanted : undefined }, true)
                  }
                />
              )}
              <Form key={way} way={way} onCode={setCode} />
            </Stack>
          </Card>
        )}
      </Box>
    </DetailPage>
  )
}

const ACTIONS = {
  link: act('initialize_checkout', { input: toCheckout }),
  ussd: act('create_ussd_transaction', { input: toUssd }),
}

function Form({ way, onCode }: { way: Way; onCode(code: CreateUssdTransactionResponse): void }) {
  const go = useGo()
  const form = useForm<Values>({ initialValues: EMPTY, validate: checksOf(way) })
  const { submit, says, isPending } = useSubmit<Values, Answer>(form, ACTIONS[way], (answer) => {
    if ('transactionIdForSession' in answer) onCode(answer.data)
    else go(`checkouts/${answer.data.reference}`)
  })
  const sum = money(Number(form.values.amount) || 0)
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm" c="dimmed">
          {way === 'link'
            ? 'The payer opens the link and chooses how to pay. Send it by chat or email, or show its QR code.'
            : 'You’ll get a code immediately. The payer dials it on the phone registered with their bank.'}
        </Text>
        {says}
        <MoneyInput label="Amount" required autoFocus {...form.field('amount')} />
        {way === 'link' ? <LinkFields form={form} /> : <UssdFields form={form} />}
        <Group justify="flex-end" className="form-actions">
          <ActionButton
            label={way === 'link' ? `Create link for ${sum}` : `Get a code for ${sum}`}
            isMain
            type="submit"
            loading={isPending}
          />
        </Group>
      </Stack>
    </form>
  )
}

const SPANS = {
  '15': '15 minutes',
  '30': '30 minutes',
  '60': '1 hour',
  '120': '2 hours',
  '480': '8 hours',
}

interface FieldsProps {
  form: FormState<Values>
}

const choices = (names: Record<string, string>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }))

function LinkFields({ form }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Payer’s email address"
        type="email"
        maxLength={254}
        required
        {...form.field('customerEmail')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label="Payer’s name" maxLength={200} {...form.field('customerName')} />
        <TextInput label="Payer’s phone number" type="tel" {...form.field('customerPhone')} />
        <Select
          label="Link expires after"
          data={choices(SPANS)}
          allowDeselect={false}
          {...form.field('minutes')}
        />
        <Select
          label="Fee paid by"
          data={choices(BEARERS)}
          allowDeselect={false}
          {...form.field('feeBearer')}
        />
      </SimpleGrid>
      <Checkbox.Group label="Payment methods" {...form.field('channels')}>
        <Group mt={6}>
          {CHANNELS.map((channel) => (
            <Checkbox key={channel} value={channel} label={channelName(channel)} />
          ))}
        </Group>
      </Checkbox.Group>
      <ShareSelect withSubaccounts {...form.field('share')} />
      <TextInput
        label="Your reference"
        description="6 to 64 letters, digits, dots, dashes and underscores. Leave blank and we create one."
        maxLength={64}
        {...form.field('reference')}
      />
      <TextInput
        label="Redirect URL"
        description="Optional. A page on your website."
        type="url"
        {...form.field('callbackUrl')}
      />
    </>
  )
}

function UssdFields({ form }: FieldsProps) {
  const { data } = useOperation('list_banks')
  const banks = (data?.data ?? []).filter(({ active, supportsUssd }) => active && supportsUssd)
  return (
    <>
      <Select
        label="Payer’s bank"
        description="Leave blank to get codes for all banks."
        data={banks.map(({ code, name }) => ({ value: code, label: name }))}
        searchable
        clearable
        {...form.field('bankCode')}
      />
      <ShareSelect {...form.field('share')} />
      <TextInput
        label="Message"
        description="Stored with the payment."
        maxLength={500}
        {...form.field('message')}
      />
    </>
  )
}
