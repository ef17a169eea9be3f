import { Alert, Group, Stack, Switch, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import type { ProfileSettings } from '../../../../../sdk/src/operations.ts'
import { act, type Envelope, useAction, useMe } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import {
  AccountNumberInput,
  BankSelect,
  isAccountNumber,
  useAccountName,
} from '../../../ui/BankAccount.tsx'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Fact, Facts } from '../../../ui/DetailPage.tsx'
import { FormModal } from '../../../ui/forms.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import type { FormState } from '../../../ui/use-form.ts'
import { money } from '../../../ui/values.tsx'
import { PayoutSchedule } from './PayoutSchedule.tsx'
import { SettingForm, SettingsPart } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'

export function Payouts({ rules, mayWrite }: SectionProps) {
  return (
    <>
      <SettlementAccount of={rules} mayWrite={mayWrite} />
      <PayoutSchedule rules={rules} mayWrite={mayWrite} />
      <Approval rules={rules} mayWrite={mayWrite} />
    </>
  )
}

interface Values extends Record<string, unknown> {
  bankCode: string | null
  accountNumber: string
}

/** Shows the business's bank account, with the account holder's name as the bank returned it. */
function SettlementAccount({
  of: { settlementAccount: account, payoutsPausedUntil: paused },
  mayWrite,
}: {
  of: ProfileSettings
  mayWrite: boolean
}) {
  const [isOpen, form] = useDisclosure(false)
  const removal = useAction(
    act('update_profile_settings', {
      input: () => ({ settlementAccount: null }),
      done: 'Settlement account removed.',
    }),
  )
  const remove = () =>
    confirm({
      title: 'Remove the settlement account?',
      text: `We will stop paying out your money to ${account?.accountName ?? ''} ${account?.accountNumber ?? ''} at ${account?.bankName ?? ''}.`,
      verb: 'Remove account',
      isDangerous: true,
      go: removal.mutate,
    })
  return (
    <SettingsPart
      id="settlement-account"
      title="Settlement account"
      about="We pay out to your own bank account once the bank has confirmed the account holder."
      actions={
        mayWrite && (
          <Group gap="xs">
            {account && (
              <ActionButton label="Remove account" onClick={remove} loading={removal.isPending} />
            )}
            <ActionButton label={account ? 'Edit account' : 'Add account'} onClick={form.open} />
          </Group>
        )
      }
    >
      {account ? (
        <Facts>
          <Fact label="Account holder" value={account.accountName} />
          <Fact label="Account number" value={account.accountNumber} />
          <Fact label="Bank" value={account.bankName} />
          <Fact
            label="Payouts paused until"
            at={paused && Date.parse(paused) > Date.now() ? paused : undefined}
          />
        </Facts>
      ) : (
        <Text c="dimmed">No account yet. Add a bank account that belongs to the business.</Text>
      )}
      <FormModal<Values>
        title="Settlement account"
        opened={isOpen}
        onClose={form.close}
        initial={{ bankCode: null, accountNumber: '' }}
        action={act('update_profile_settings', {
          input: ({ bankCode, accountNumber }: Values) => ({
            settlementAccount: { bankCode: bankCode!, accountNumber },
          }),
          done: 'Account saved.',
        })}
        validate={{
          bankCode: (code) => (code ? null : 'Choose a bank.'),
          accountNumber: (number) =>
            isAccountNumber(number) ? null : 'Enter the ten-digit account number.',
        }}
        verb="Use this account"
      >
        {(values) => <Fields form={values} />}
      </FormModal>
    </SettingsPart>
  )
}

function Fields({ form }: { form: FormState<Values> }) {
  const found = useAccountName(form.values.bankCode, form.values.accountNumber)
  return (
    <>
      <BankSelect required data-autofocus {...form.field('bankCode')} />
      <AccountNumberInput required found={found} {...form.field('accountNumber')} />
      {found.account && (
        <Alert color="blue">
          Is this your account? We will save it only if the bank confirms the account holder.
        </Alert>
      )}
    </>
  )
}

interface LimitValues extends Record<string, unknown> {
  eachNeeds: boolean
  transferApprovalAbove: number | string
  dayNeeds: boolean
  dailyApprovalAbove: number | string
}

const limitsOf = ({
  transferApprovalAbove: each,
  dailyApprovalAbove: day,
}: ProfileSettings): LimitValues => ({
  eachNeeds: each !== null,
  transferApprovalAbove: each ?? '',
  dayNeeds: day !== null,
  dailyApprovalAbove: day ?? '',
})

/** Asks for the limits above which a second person must approve a transfer. */
function Approval({ rules, mayWrite }: Pick<SectionProps, 'rules' | 'mayWrite'>) {
  const { currency } = rules
  const sumOf = (needs: boolean, amount: number | string) => (needs ? Number(amount) : null)
  const missing = (needs: boolean, amount: number | string) =>
    needs && amount === '' ? 'Enter an amount.' : null
  return (
    <SettingForm<LimitValues, Envelope<ProfileSettings>>
      id="approval"
      title="Transfer approval"
      about="Transfers above a limit wait until a second person approves them. Raising or turning off a limit also needs a second person’s confirmation."
      values={limitsOf(rules)}
      action={act('update_profile_settings', {
        input: (values: LimitValues) => ({
          transferApprovalAbove: sumOf(values.eachNeeds, values.transferApprovalAbove),
          dailyApprovalAbove: sumOf(values.dayNeeds, values.dailyApprovalAbove),
        }),
      })}
      onSaved={({ data: saved }, form) => {
        if (!saved.pendingApprovalChange) {
          notifications.show({ message: 'Approval limits saved.', color: 'green' })
          return
        }
        // The previous limits stay in force, so the form must not show the ones that were typed.
        const inForce = limitsOf(saved)
        form.setInitialValues(inForce)
        form.setValues(inForce)
        notifications.show({
          color: 'yellow',
          title: 'Waiting for a second person',
          message: 'The new limits apply once someone else confirms them.',
        })
      }}
      mayWrite={mayWrite}
      above={<Pending of={rules} />}
      validate={{
        transferApprovalAbove: (amount: number | string, { eachNeeds }) =>
          missing(eachNeeds, amount),
        dailyApprovalAbove: (amount: number | string, { dayNeeds }) => missing(dayNeeds, amount),
      }}
    >
      {(form) => (
        <>
          {rules.approvalSuspendedAt && (
            <Alert color="yellow" title="The limits are suspended">
              Fewer than two people can approve transfers, so transfers are not held for approval.
              Invite another owner, admin or finance member.
            </Alert>
          )}
          <Switch label="Large transfers need approval" {...form.checkbox('eachNeeds')} />
          {form.values.eachNeeds && (
            <MoneyInput
              label="Above"
              currency={currency}
              maw={280}
              required
              {...form.field('transferApprovalAbove')}
            />
          )}
          <Switch
            label="Large daily totals need approval"
            description="Counts all of the day’s transfers and bills. An API key cannot pay a bill that would exceed the limit."
            {...form.checkbox('dayNeeds')}
          />
          {form.values.dayNeeds && (
            <MoneyInput
              label="Daily total above"
              currency={currency}
              maw={280}
              required
              {...form.field('dailyApprovalAbove')}
            />
          )}
        </>
      )}
    </SettingForm>
  )
}

/** Shows a change that raises or removes a limit, until a second person has confirmed it. */
function Pending({ of: { pendingApprovalChange: change, currency } }: { of: ProfileSettings }) {
  const may = usePermission()
  const { data: me } = useMe()
  const input = () => ({ requestedAt: change!.requestedAt })
  const confirmation = useAction(
    act('confirm_approval_change', { input, done: 'The new limits are now in effect.' }),
  )
  const withdrawal = useAction(
    act('drop_approval_change', { input, done: 'The limits are unchanged.' }),
  )
  if (!change) return null
  const says = (amount: number | null) => (amount === null ? 'no limit' : money(amount, currency))
  const isOwn = change.requestedBy.personId === me?.person.id
  return (
    <Alert color="yellow" title="A change needs confirmation">
      <Stack gap="sm" align="flex-start">
        {`${change.requestedBy.name} requested these limits: ${says(change.transferApprovalAbove)} per transfer, ${says(change.dailyApprovalAbove)} per day.`}
        {isOwn ? ' Someone else who can approve transfers must confirm the change.' : null}
        {may('transfers:write') && (
          <Group gap="xs">
            <ActionButton
              label={isOwn ? 'Withdraw change' : 'Reject change'}
              size="xs"
              loading={withdrawal.isPending}
              onClick={() => withdrawal.mutate()}
            />
            {!isOwn && (
              <ActionButton
                label="Confirm change"
                isMain
                size="xs"
                loading={confirmation.isPending}
                onClick={() => confirmation.mutate()}
              />
            )}
          </Group>
        )}
      </Stack>
    </Alert>
  )
}
