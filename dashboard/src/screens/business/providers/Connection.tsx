import {
  Alert,
  MultiSelect,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Switch,
  Table,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
  IconWebhook,
} from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { act, useAction, useOperation } from '../../../api/hooks.ts'
import type { Provider, ProviderHealth } from '../../../api/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { MoreMenu } from '../../../ui/MoreMenu.tsx'
import { money, Status, sentence, When } from '../../../ui/values.tsx'
import { Notifications } from './Notifications.tsx'
import {
  byService,
  callName,
  keyPlace,
  type Service,
  serviceName,
  suspendedBecause,
} from './names.ts'
import { ResumeConnection } from './Resume.tsx'
import './providers.css'
import { ConnectionTest, NotificationUrl, ProviderChecks } from './Setup.tsx'

/** One account with a provider. */
export function Connection() {
  const { connectionId } = useParams({ from: '/$mode/settings/providers/$connectionId' })
  const id = Number(connectionId)
  const read = useOperation('get_provider', { connectionId: id })
  const connection = read.data?.data
  const may = usePermission()
  const mayWrite = may('providers:write')
  const isRemoved = connection?.status === 'Removed'
  return (
    <DetailPage
      back={{ to: 'settings/providers', label: 'Providers' }}
      title={connection?.name}
      status={<Status of={connection?.status} />}
      read={read}
      actions={connection && mayWrite && !isRemoved && <Actions of={connection} />}
    >
      {connection && (
        <>
          <State of={connection} />
          <div className="beside">
            <Stack gap="lg">
              <Details of={connection} />
              {!isRemoved && (
                <>
                  <Card title="Connection test">
                    <ConnectionTest of={connection} mayWrite={mayWrite} />
                  </Card>
                  <Card title={`Settings at ${connection.title}`}>
                    <Stack>
                      <NotificationUrl of={connection} />
                      <ProviderChecks of={connection} />
                    </Stack>
                  </Card>
                </>
              )}
              <Notifications connectionId={id} />
            </Stack>
            <Stack gap="lg">
              {connection.balances.length > 0 && <Balances of={connection} />}
              <Health connectionId={id} />
            </Stack>
          </div>
        </>
      )}
    </DetailPage>
  )
}

function State({ of: { status, statusReason, title } }: { of: Provider }) {
  const why = sentence(statusReason)
  if (status === 'Paused') {
    return (
      <Alert color="yellow" title="Paused">
        {why} No new orders are sent to {title}. Orders that it already has continue.
      </Alert>
    )
  }
  if (status === 'Removed') {
    return (
      <Alert color="gray" title="Removed">
        {why} The keys are deleted. The connection stays in this list, because payments refer to it.
      </Alert>
    )
  }
  if (status !== 'Draft') return null
  return (
    <Alert color="yellow" title="Not used yet">
      Once the connection test succeeds, choose “Start using it”.
    </Alert>
  )
}

function Details({ of }: { of: Provider }) {
  const { data } = useOperation('list_banks')
  const bankOf = (code: string) => data?.data.find((one) => one.code === code)?.name ?? code
  const { services, ussdBanks, payerEmail, feesPaidBy, automaticSettlement } = of.settings
  return (
    <Card title="Connection">
      <Facts>
        <Fact label="Provider" value={of.title} />
        <Fact label="Account" value={of.accountName ?? undefined} />
        <Fact label="Used for" value={[...services].sort(byService).map(serviceName).join(', ')} />
        <Fact
          label="Banks for USSD"
          value={services.includes('USSD') ? ussdBanks.map(bankOf).join(', ') : undefined}
        />
        <Fact label="Email address for payers without one" value={payerEmail ?? undefined} />
        <Fact
          label="Fees paid by"
          value={feesPaidBy === 'operator' ? 'The operator of this server' : 'This business'}
        />
        <Fact label="Pays out by itself" value={AUTOMATIC[`${automaticSettlement}`]} />
        {of.credentials.map(({ label, last4, createdAt, acceptedUntil, fingerprint }) => (
          <Fact
            key={fingerprint}
            label={acceptedUntil ? `${label} (replaced)` : label}
            value={
              <>
                <code>•••• {last4}</code>{' '}
                <Text span size="sm" c="dimmed">
                  {acceptedUntil ? (
                    <>
                      accepted until <When at={acceptedUntil} />
                    </>
                  ) : (
                    <>
                      since <When at={createdAt} />
                    </>
                  )}
                </Text>
              </>
            }
          />
        ))}
        <Fact label="Base URL" copy={of.baseUrl} />
        <Fact label="Connected by" value={of.createdBy} />
        <Fact label="Connected" at={of.createdAt} />
      </Facts>
    </Card>
  )
}

const AUTOMATIC: Record<string, string> = { true: 'Yes', false: 'No', null: 'Unknown' }

function Balances({ of: { balances, balancesAt, title } }: { of: Provider }) {
  return (
    <Card title={`Balance at ${title}`}>
      <Facts>
        {balances.map(({ currency, available, pending }) => (
          <Fact
            key={currency}
            label={balances.length > 1 ? currency : 'Available'}
            value={
              <>
                <Text span fw={600} inherit>
                  {money(available, currency)}
                </Text>
                {pending !== null && (
                  <Text size="sm" c="dimmed">
                    {money(pending, currency)} not settled yet
                  </Text>
                )}
              </>
            }
          />
        ))}
        <Fact label="As of" at={balancesAt} />
      </Facts>
    </Card>
  )
}

function Health({ connectionId }: { connectionId: number }) {
  const { data } = useOperation('get_provider_health', { connectionId })
  const health = data?.data
  if (!health) return null
  return (
    <Card title="Last 24 hours">
      <Stack>
        {health.suspended.map(({ service, why }) => (
          <Alert key={service} color="red" title={`${serviceName(service)}: no new orders`}>
            We stopped sending new orders, because {suspendedBecause(why)}.
          </Alert>
        ))}
        <Facts>
          <Fact label="Open orders" value={health.openOrders} />
          <Fact label="Oldest open order" at={health.oldestOpenOrderAt} />
          <Fact label="Waiting for a decision" value={health.ordersNeedingAttention} />
          <Fact
            label="Refused notifications"
            value={health.refusedNoticesToday > 0 ? health.refusedNoticesToday : undefined}
          />
        </Facts>
        {health.calls.length > 0 ? (
          <Calls of={health.calls} />
        ) : (
          <Text size="sm" c="dimmed">
            No requests to the provider.
          </Text>
        )}
      </Stack>
    </Card>
  )
}

function Calls({ of: calls }: { of: ProviderHealth['calls'] }) {
  return (
    <Table aria-label="Requests to the provider" className="provider-calls">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Requests</Table.Th>
          <Table.Th ta="right">Number</Table.Th>
          <Table.Th ta="right">Failed</Table.Th>
          <Table.Th ta="right">Time</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {calls.map(({ kind, count, failed, p50Ms, p95Ms }) => (
          <Table.Tr key={kind}>
            <Table.Td>{callName(kind)}</Table.Td>
            <Table.Td ta="right">{count}</Table.Td>
            <Table.Td ta="right">{failed}</Table.Td>
            <Table.Td ta="right" title={`95 % took at most ${duration(p95Ms)}`}>
              {duration(p50Ms)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

const duration = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`

// -------------------------------------------------------------------------------- actions

function Actions({ of }: { of: Provider }) {
  const { id: connectionId, status, title } = of
  const [isPausing, pausing] = useDisclosure(false)
  const [isRemoving, removing] = useDisclosure(false)
  const [isReplacing, replacing] = useDisclosure(false)
  const [isEditing, editing] = useDisclosure(false)
  const url = useAction(
    act('replace_provider_notification_url', {
      input: () => ({ connectionId }),
      done: `Paste the new URL at ${title}.`,
    }),
  )
  const replaceUrl = () =>
    confirm({
      title: 'Replace the webhook URL?',
      text: `You will have to paste a new URL at ${title}. The old one still works for 72 hours.`,
      verb: 'Replace URL',
      go: () => url.mutate(),
    })
  return (
    <>
      {status === 'Active' ? (
        <ActionButton icon={IconPlayerPause} label="Pause" onClick={pausing.open} />
      ) : (
        <ResumeConnection
          of={of}
          icon={IconPlayerPlay}
          label={status === 'Draft' ? 'Start using it' : 'Resume'}
          isMain
        />
      )}
      <MoreMenu
        choices={[
          { label: 'Edit', icon: IconPencil, go: editing.open },
          { label: 'Replace keys', icon: IconKey, go: replacing.open },
          { label: 'Replace webhook URL', icon: IconWebhook, go: replaceUrl },
          { label: 'Remove', icon: IconTrash, isDangerous: true, go: removing.open },
        ]}
      />
      <PauseForm of={of} opened={isPausing} onClose={pausing.close} />
      <KeysForm of={of} opened={isReplacing} onClose={replacing.close} />
      <EditForm of={of} opened={isEditing} onClose={editing.close} />
      <RemoveForm of={of} opened={isRemoving} onClose={removing.close} />
    </>
  )
}

type FormProps = DialogProps & { of: Provider }

interface Reason extends Record<string, unknown> {
  reason: string
}

function PauseForm({ of: { id: connectionId, name }, ...dialog }: FormProps) {
  return (
    <FormModal<Reason>
      title={`Pause ${name}?`}
      {...dialog}
      initial={{ reason: '' }}
      action={act('pause_provider', {
        input: ({ reason }: Reason) => ({
          connectionId,
          ...(reason.trim() && { reason: reason.trim() }),
        }),
        done: `${name} is paused.`,
      })}
      verb="Pause connection"
    >
      {(form) => (
        <>
          <Text size="sm">
            New orders go to your other connections, or wait. Orders that {name} already has
            continue, and payments that are on their way still arrive.
          </Text>
          <ReasonInput form={form} label="Reason (optional)" />
        </>
      )}
    </FormModal>
  )
}

interface Removal extends Reason {
  force: boolean
}

function RemoveForm({ of: { id: connectionId, name, status, title }, ...dialog }: FormProps) {
  return (
    <FormModal<Removal>
      title={`Remove ${name}?`}
      {...dialog}
      initial={{ reason: '', force: false }}
      action={act('remove_provider', {
        input: ({ reason, force }: Removal) => ({
          connectionId,
          force,
          ...(reason.trim() && { reason: reason.trim() }),
        }),
        done: `${name} is removed.`,
      })}
      validate={{
        reason: (text, { force }) => (force && !text.trim() ? 'Enter a reason.' : null),
      }}
      verb="Remove connection"
    >
      {(form) => (
        <>
          {status === 'Active' && (
            <Alert color="yellow">Pause the connection first. Then you can remove it.</Alert>
          )}
          <Text size="sm">
            We delete the keys and the routing rules. You can’t look up old orders at {title} any
            more, and notifications are refused. This cannot be undone.
          </Text>
          <Switch
            label={`Remove it even if ${title} still holds money`}
            description="We refuse this otherwise, so that no balance is forgotten."
            {...form.checkbox('force')}
          />
          <ReasonInput form={form} label={form.values.force ? 'Reason' : 'Reason (optional)'} />
        </>
      )}
    </FormModal>
  )
}

const ReasonInput = ({
  form,
  label,
}: {
  // biome-ignore lint/suspicious/noExplicitAny: forms with different values have this field
  form: { field(name: 'reason'): any }
  label: string
}) => <Textarea label={label} maxLength={300} autosize minRows={2} {...form.field('reason')} />

interface Keys extends Record<string, unknown> {
  credentials: Record<string, string>
  graceHours: number
}

function KeysForm({ of: { id: connectionId, name, provider, title }, ...dialog }: FormProps) {
  const { data } = useOperation('list_known_providers')
  const fields = data?.data.find((one) => one.provider === provider)?.credentials ?? []
  return (
    <FormModal<Keys>
      title={`Replace keys: ${name}`}
      {...dialog}
      initial={{
        credentials: Object.fromEntries(fields.map((field) => [field.name, ''])),
        graceHours: 72,
      }}
      action={act('replace_provider_credentials', {
        input: ({ credentials, graceHours }: Keys) => ({
          connectionId,
          graceHours,
          credentials: Object.fromEntries(
            Object.entries(credentials)
              .map(([field, value]) => [field, value.trim()])
              .filter(([, value]) => value !== ''),
          ),
        }),
        done: 'Keys replaced.',
      })}
      verb="Replace keys"
    >
      {(form) => (
        <>
          <Text size="sm">
            {title} has to accept the new key before we replace the old one. Leave a field blank to
            keep its value.
          </Text>
          {fields.map((field) => (
            <PasswordInput
              key={field.name}
              label={field.label}
              description={keyPlace(provider, field.name)}
              autoComplete="off"
              {...form.field(`credentials.${field.name}`)}
            />
          ))}
          <NumberInput
            label="Hours until notifications signed with the old key are refused"
            min={0}
            max={168}
            {...form.field('graceHours')}
          />
        </>
      )}
    </FormModal>
  )
}

interface Edited extends Record<string, unknown> {
  name: string
  automaticSettlement: string
  services: string[]
  ussdBanks: string[]
  payerEmail: string
}

function EditForm({ of, ...dialog }: FormProps) {
  const known = useOperation('list_known_providers')
  const banks = useOperation('list_banks')
  const offered = known.data?.data.find(({ provider }) => provider === of.provider)
  const { services, ussdBanks, payerEmail, automaticSettlement } = of.settings
  const bankOf = (code: string) => banks.data?.data.find((one) => one.code === code)?.name ?? code
  return (
    <FormModal<Edited>
      title={`Edit ${of.name}`}
      {...dialog}
      initial={{
        name: of.name,
        services,
        ussdBanks,
        payerEmail: payerEmail ?? '',
        automaticSettlement: `${automaticSettlement}`,
      }}
      action={act('change_provider', {
        input: (values: Edited) => ({
          connectionId: of.id,
          name: values.name.trim(),
          settings: {
            services: values.services as Service[],
            ussdBanks: values.ussdBanks,
            payerEmail: values.payerEmail.trim() || null,
            automaticSettlement: JSON.parse(values.automaticSettlement) as boolean | null,
          },
        }),
        done: 'Connection saved.',
      })}
      validate={{ name: (text) => (text.trim() ? null : 'Enter a name.') }}
      verb="Save connection"
    >
      {(form) => (
        <>
          <TextInput label="Name" maxLength={100} required {...form.field('name')} />
          <MultiSelect
            label="Used for"
            data={[...(offered?.services ?? services)]
              .sort(byService)
              .map((value) => ({ value, label: serviceName(value) }))}
            hidePickedOptions
            {...form.field('services')}
          />
          {form.values.services.includes('USSD') && (
            <MultiSelect
              label="Banks for USSD"
              description={`Only the banks that ${of.title} has turned on for your account.`}
              data={(offered?.ussdBanks ?? ussdBanks).map((code) => ({
                value: code,
                label: bankOf(code),
              }))}
              searchable
              hidePickedOptions
              maxDropdownHeight={220}
              {...form.field('ussdBanks')}
            />
          )}
          <TextInput
            label="Email address for payers without one (optional)"
            description={`${of.title} requires an email address for each payment.`}
            type="email"
            {...form.field('payerEmail')}
          />
          <Select
            label={`Does ${of.title} pay the balance out to your bank account by itself?`}
            description="While it does, we don’t pay out the wallet to your settlement account."
            data={Object.entries(AUTOMATIC).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            {...form.field('automaticSettlement')}
          />
        </>
      )}
    </FormModal>
  )
}
