import { Alert, Group, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconHandStop, IconPlugConnected, IconPlus } from '@tabler/icons-react'
import { useMode } from '../../../api/history.ts'
import { act, useOperation } from '../../../api/hooks.ts'
import type { Provider } from '../../../api/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { EmptyState, Failure, LoadingRows, SCREEN_ICON } from '../../../ui/feedback.tsx'
import { FormModal } from '../../../ui/forms.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { money, Status, sentence, When } from '../../../ui/values.tsx'
import { byService, listed, serviceName, suspendedBecause } from '../providers/names.ts'
import { ResumePayouts } from '../providers/Resume.tsx'
import { ProofOfFunds } from './ProofOfFunds.tsx'
import { SettingsPart } from './SettingForm.tsx'
import '../providers/providers.css'
import { Routing } from './Routing.tsx'

/** The business's accounts with payment providers, and which of them new orders go through. */
export function Providers() {
  const read = useOperation('list_providers')
  const may = usePermission()
  const isRemoved = ({ status }: Provider) => status === 'Removed'
  const all = read.data?.data
  const current = all?.filter((one) => !isRemoved(one)) ?? []
  return (
    <>
      {may('transfers:read') && <Payouts />}
      <SettingsPart
        id="connections"
        title="Connections"
        about="Your accounts with payment providers. They hold your money until you pay it out."
        actions={may('providers:write') && current.length > 0 && <ConnectButton />}
      >
        {all ? (
          <Connections current={current} former={all.filter(isRemoved)} />
        ) : read.isPending ? (
          <LoadingRows count={2} />
        ) : (
          <Failure error={read.error} again={() => void read.refetch()} />
        )}
      </SettingsPart>
      {current.length > 0 && <Routing connections={current} />}
      {current.length > 0 && may('reconciliation:read') && <ProofOfFunds />}
    </>
  )
}

const ConnectButton = () => (
  <ActionButton icon={IconPlus} label="Connect provider" isMain to="settings/providers/connect" />
)

function Connections({ current, former }: { current: Provider[]; former: Provider[] }) {
  const may = usePermission()
  const mode = useMode()
  return (
    <Stack gap="md">
      {current.length === 0 ? (
        <EmptyState
          icon={<IconPlugConnected {...SCREEN_ICON} />}
          title="No provider is connected"
          text={
            mode === 'test'
              ? 'The simulator does everything in test mode. You can connect a provider’s test account instead.'
              : 'Connect your account with Paystack or Flutterwave to take payments and send money.'
          }
          action={may('providers:write') && <ConnectButton />}
        />
      ) : (
        <div className="provider-rows">
          {current.map((one) => (
            <ConnectionRow key={one.id} of={one} />
          ))}
        </div>
      )}
      {former.length > 0 && (
        <details>
          <summary>Removed connections ({former.length})</summary>
          <div className="provider-rows">
            {former.map((one) => (
              <ConnectionRow key={one.id} of={one} />
            ))}
          </div>
        </details>
      )}
    </Stack>
  )
}

function ConnectionRow({ of }: { of: Provider }) {
  const services = [...of.settings.services].sort(byService).map(serviceName)
  return (
    <div className="row-card">
      <div className="row-parts">
        <Stack gap={2} className="row-words">
          <ScreenLink to={`settings/providers/${of.id}`} fw={600}>
            {of.name}
          </ScreenLink>
          <Text span size="sm" c="dimmed">
            {of.name === of.title ? '' : `${of.title} · `}
            {services.join(', ')}
          </Text>
          {of.status !== 'Removed' && <Health of={of} />}
        </Stack>
        <Stack gap={4} align="flex-end" className="row-marks">
          <Status of={of.status} />
          {of.balances.map(({ currency, available }) => (
            <Text key={currency} span size="sm">
              <Text span c="dimmed" inherit>
                Balance
              </Text>{' '}
              {money(available, currency)}
            </Text>
          ))}
        </Stack>
      </div>
    </div>
  )
}

/** The most important fact about how a connection works, in one line. */
function Health({ of }: { of: Provider }) {
  const { data } = useOperation('get_provider_health', { connectionId: of.id })
  const health = data?.data
  if (of.problem) return <Bad>The last test failed: {sentence(of.problem.message)}</Bad>
  if (of.status === 'Paused')
    return (
      <Text span size="sm">
        {of.statusReason
          ? `Paused: ${sentence(of.statusReason)}`
          : 'Paused. It gets no new orders.'}
      </Text>
    )
  if (!health) return null
  const [suspended] = health.suspended
  if (suspended) {
    return (
      <Bad>
        {`${listed(health.suspended.map(({ service }) => serviceName(service)))}: no new orders, because ${suspendedBecause(suspended.why)}.`}
      </Bad>
    )
  }
  const { ordersNeedingAttention: attention } = health
  if (attention > 0) {
    return <Bad>{attention === 1 ? '1 order needs' : `${attention} orders need`} a decision.</Bad>
  }
  const count = health.calls.reduce((sum, call) => sum + call.count, 0)
  const failed = health.calls.reduce((sum, call) => sum + call.failed, 0)
  return (
    <Text span size="sm" c="dimmed">
      {count === 0
        ? 'No requests in the last 24 hours.'
        : `${count === 1 ? '1 request' : `${count} requests`} in the last 24 hours, ${failed} failed.`}
      {!of.firstNoticeAt && ' No notification has arrived yet: check the webhook URL.'}
    </Text>
  )
}

const Bad = ({ children }: { children: React.ReactNode }) => (
  <Text span size="sm" className="provider-bad">
    {children}
  </Text>
)

// ------------------------------------------------------------------------ the stop switch

interface Reason extends Record<string, unknown> {
  reason: string
}

/** The switch that stops all payouts at once. */
function Payouts() {
  const { data } = useOperation('get_payouts_stop')
  const may = usePermission()
  const [isOpen, form] = useDisclosure(false)
  if (!data) return null
  const stop = data.data
  return (
    <SettingsPart
      id="stop"
      title="Stop all payouts"
      about="If something looks wrong, stop all money from leaving. Payments from customers and refunds continue."
      actions={
        !stop &&
        may('transfers:write') && (
          <ActionButton icon={IconHandStop} label="Stop payouts" color="red" onClick={form.open} />
        )
      }
    >
      {stop ? (
        <Alert color="red" icon={<IconHandStop size={18} />} title="All payouts are stopped">
          <Stack gap="sm" align="flex-start">
            <Text size="sm">
              {stop.by} stopped them on <When at={stop.stoppedAt} />: {sentence(stop.reason)} New
              transfers and settlements wait. Bills cannot be paid.
            </Text>
            <ResumePayouts by={stop.resumedBy} />
          </Stack>
        </Alert>
      ) : (
        <Group gap="xs">
          <Status of="Active" />
          <Text span size="sm">
            Payouts go out normally.
          </Text>
        </Group>
      )}
      <FormModal<Reason>
        title="Stop all payouts?"
        opened={isOpen}
        onClose={form.close}
        initial={{ reason: '' }}
        action={act('stop_payouts', {
          input: ({ reason }: Reason) => ({ reason: reason.trim() }),
          done: 'All payouts are stopped.',
        })}
        validate={{ reason: (text) => (text.trim() ? null : 'Enter a reason.') }}
        verb="Stop payouts"
      >
        {(values) => (
          <>
            <Text size="sm">
              No transfer, settlement or bill is sent from now on. What a provider already has may
              still be paid. Only an owner can resume payouts.
            </Text>
            <Textarea
              label="Reason"
              placeholder="We do not recognise a transfer"
              maxLength={300}
              autosize
              minRows={2}
              required
              data-autofocus
              {...values.field('reason')}
            />
          </>
        )}
      </FormModal>
    </SettingsPart>
  )
}
