import { Alert, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCheck } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { act, useMe, useOperation } from '../../../api/hooks.ts'
import type { Difference as DifferenceRecord } from '../../../api/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import type { Input } from '../../../api/request.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { dayOf } from '../../../ui/typed-days.ts'
import { minorMoney, Status } from '../../../ui/values.tsx'
import { InLedger } from '../ledger/names.tsx'
import { useConnections } from './connections.ts'
import { Evidence } from './Evidence.tsx'
import { differenceName, orderName, orderScreen, resolutionOf, sourceName } from './names.ts'

export function Difference() {
  const { reference } = useParams({ from: '/$mode/differences/$reference' })
  const read = useOperation('get_difference', { reference })
  const difference = read.data?.data
  return (
    <DetailPage
      back={{ to: 'differences', label: 'Differences' }}
      title={difference && differenceName(difference)}
      name={difference && `${differenceName(difference)} · ${reference}`}
      status={<Status of={difference?.status} />}
      read={read}
      actions={difference && <Close of={difference} />}
    >
      {difference && (
        <>
          <Notes of={difference} />
          <div className="beside">
            <Evidence of={difference} />
            <DifferenceFacts of={difference} />
          </div>
        </>
      )}
    </DetailPage>
  )
}

function Notes({ of }: { of: DifferenceRecord }) {
  const { status, proposed, resolution, reason, closedBy } = of
  if (status === 'Closed' && resolution) {
    return (
      <Alert color="green" title={resolutionOf(of, resolution).label}>
        {reason}
        {closedBy && (
          <Text size="sm" mt={4}>
            Closed by {closedBy}.
          </Text>
        )}
      </Alert>
    )
  }
  if (!proposed) return null
  return (
    <Alert
      color="yellow"
      title={`${proposed.by} proposes: ${resolutionOf(of, proposed.resolution).label}`}
    >
      {proposed.reason}
      <Text size="sm" mt={4}>
        Someone else has to close it in the same way.
      </Text>
    </Alert>
  )
}

function DifferenceFacts({ of }: { of: DifferenceRecord }) {
  const { order, currency, day, connectionId, status, resolution } = of
  const { nameOf } = useConnections()
  const screen = order ? orderScreen(order.kind, order.reference) : undefined
  const isBooked = status === 'Closed' && ['booked', 'accepted'].includes(resolution ?? '')
  return (
    <Card title="Difference">
      <Facts>
        <Fact
          label="Our figure"
          value={currency ? minorMoney(of.oursMinor, currency) : undefined}
        />
        <Fact
          label="Their figure"
          value={currency ? minorMoney(of.theirsMinor, currency) : undefined}
        />
        <Fact
          label={order ? orderName(order.kind) : 'Record'}
          value={
            order?.reference ? (
              screen ? (
                <ScreenLink to={screen}>{order.reference}</ScreenLink>
              ) : (
                order.reference
              )
            ) : undefined
          }
        />
        <Fact label="Provider’s ID" copy={of.providerId} value={undefined} />
        <Fact label="Connection" value={nameOf(connectionId)} />
        <Fact
          label="Day"
          value={
            day ? (
              <ScreenLink to={`reconciliation/${connectionId}/days/${day}`}>
                {dayOf(day)}
              </ScreenLink>
            ) : undefined
          }
        />
        <Fact label="Found by" value={sourceName(of.source)} />
        <Fact label="First seen" at={of.firstSeenAt} />
        <Fact label="Last seen" at={of.lastSeenAt} />
        <Fact label="Closed" at={of.closedAt} />
        <Fact label="Reference" copy={of.reference} />
        <Fact
          label="Ledger entry"
          value={isBooked ? <InLedger reference={of.reference} /> : undefined}
        />
      </Facts>
    </Card>
  )
}

function Close({ of }: { of: DifferenceRecord }) {
  const may = usePermission()
  const { data: me } = useMe()
  const [isOpen, { open, close }] = useDisclosure(false)
  if (of.status !== 'Open' || !may('reconciliation:write')) return null
  const isOwn = of.proposed !== null && of.proposed.by === me?.person.name
  return (
    <>
      <ActionButton
        icon={IconCheck}
        label={of.proposed && !isOwn ? 'Agree or close' : 'Close difference'}
        isMain
        onClick={open}
      />
      <CloseForm of={of} opened={isOpen} onClose={close} />
    </>
  )
}

interface Values extends Record<string, unknown> {
  resolution: string
  reason: string
  transactionReference: string
}

function CloseForm({ of, ...dialog }: DialogProps & { of: DifferenceRecord }) {
  const { reference, resolutions, proposed } = of
  const [only] = resolutions.length === 1 ? resolutions : []
  return (
    <FormModal<Values, { message: string }>
      title="Close this difference"
      {...dialog}
      initial={{
        resolution: proposed?.resolution ?? only ?? '',
        reason: '',
        transactionReference: '',
      }}
      action={act('close_difference', {
        input: ({ resolution, reason, transactionReference }: Values) => ({
          reference,
          resolution: resolution as Input<'close_difference'>['resolution'],
          reason: reason.trim(),
          ...(resolution === 'allocated' && { transactionReference: transactionReference.trim() }),
        }),
      })}
      validate={{
        resolution: (value) => (value ? null : 'Choose what happened.'),
        reason: (text) => (text.trim() ? null : 'Enter a reason.'),
        transactionReference: (text, { resolution }) =>
          resolution === 'allocated' && !text.trim() ? 'Enter a reference.' : null,
      }}
      verb="Close difference"
    >
      {(form) => (
        <>
          <Radio.Group label="What happened?" {...form.field('resolution')}>
            <Stack gap="sm" mt="xs">
              {resolutions.map((resolution) => {
                const { label, says } = resolutionOf(of, resolution)
                return (
                  <Radio key={resolution} value={resolution} label={label} description={says} />
                )
              })}
            </Stack>
          </Radio.Group>
          {form.values.resolution === 'allocated' && (
            <TextInput
              label="Reference of the payment"
              placeholder="TRX_…"
              required
              {...form.field('transactionReference')}
            />
          )}
          <Textarea
            label="Reason"
            description="For anyone who looks at this later."
            required
            maxLength={1_000}
            autosize
            minRows={2}
            {...form.field('reason')}
          />
        </>
      )}
    </FormModal>
  )
}
