import { Box, Group, Stack, Timeline as Steps, Text, Title } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Failure, LoadingRecord } from './feedback.tsx'
import { ScreenLink } from './links.tsx'
import { type ScreenAddress, useLastSearch } from './navigation.ts'
import { SCREENS } from './screens.ts'
import { Copyable, formatState, money, Status, When } from './values.tsx'

/** The screen of a record: breadcrumbs, title, actions and cards. */
export function DetailPage({
  back,
  title,
  name,
  status,
  actions,
  read,
  children,
}: {
  /** The list that contains the record. */
  back: { to: ScreenAddress; label: string }
  title: ReactNode
  /**
   * The name of the record among the recent records, if the heading alone is not enough:
   * `₦70,000.00 · Ada Obi`.
   */
  name?: string | undefined
  status?: ReactNode
  actions?: ReactNode
  /** The query for the record, which determines whether the screen is loading or has failed. */
  read: { isPending: boolean; error: unknown; data: unknown; refetch(): unknown }
  children: ReactNode
}) {
  return (
    <Stack gap="lg">
      <Trail back={back} />
      {read.data === undefined ? (
        read.isPending ? (
          <LoadingRecord />
        ) : (
          <Box className="card holds-place">
            <Failure level={1} error={read.error} again={() => void read.refetch()} />
          </Box>
        )
      ) : (
        <>
          <Group justify="space-between" align="flex-start" className="heading">
            <Group gap="sm" mih={36}>
              <Title order={1} data-name={name}>
                {title}
              </Title>
              {status}
            </Group>
            <Group gap="xs" className="record-actions">
              {actions}
            </Group>
          </Group>
          {children}
        </>
      )}
    </Stack>
  )
}

export function Card({
  title,
  actions,
  children,
}: {
  title?: string
  actions?: ReactNode
  children: ReactNode
}) {
  return (
    <Box className="card" p="lg" component="section" aria-label={title}>
      {(title || actions) && (
        <Group justify="space-between" mb="md">
          {title && <Title order={2}>{title}</Title>}
          {actions}
        </Group>
      )}
      {children}
    </Box>
  )
}

export const Facts = ({ children }: { children: ReactNode }) => (
  <div className="facts-room">
    <dl className="facts">{children}</dl>
  </div>
)

interface RelatedProps {
  to: ScreenAddress
  of: { amount: number; currency: string; status: string; createdAt: string }
  note: ReactNode
}

/** Shows another record on the card of this one. */
export function Related({ to, of: { amount, currency, status, createdAt }, note }: RelatedProps) {
  return (
    <Group justify="space-between" align="flex-start" wrap="nowrap">
      <Stack gap={0}>
        <ScreenLink to={to}>{money(amount, currency)}</ScreenLink>
        <Text size="sm" c="dimmed">
          {note}
        </Text>
      </Stack>
      <Stack gap={4} align="flex-end">
        <Status of={status} />
        <Text size="sm" c="dimmed" component="div">
          <When at={createdAt} />
        </Text>
      </Stack>
    </Group>
  )
}

interface FactProps {
  label: string
  value?: ReactNode
  /** A point in time. */
  at?: string | null | undefined
  /** Text to show with a copy button. */
  copy?: string | null | undefined
}

/**
 * Shows a label and a value. Hidden if the value is undefined. If the value is known to be empty,
 * shows a dash.
 */
export function Fact({ label, at, copy, ...props }: FactProps) {
  const value = at ? <When at={at} /> : copy ? <Copyable text={copy} /> : props.value
  if (value === undefined) return null
  return (
    <div style={{ display: 'contents' }}>
      <dt>{label}</dt>
      <dd>
        {value === null || value === '' ? (
          <Text span c="dimmed">
            –
          </Text>
        ) : (
          value
        )}
      </dd>
    </div>
  )
}

/** Links to the list with its last filters and, above a form, to the record being edited. */
function Trail({ back }: { back: { to: ScreenAddress; label: string } }) {
  const searchOf = useLastSearch()
  const [list] = back.to.split('/')
  const screen = SCREENS.flatMap(({ screens }) => screens).find(({ path }) => path === list)
  const steps =
    screen && back.to !== list ? [{ to: screen.path, label: screen.label }, back] : [back]
  return (
    <nav aria-label="Breadcrumbs">
      <ol className="trail">
        {steps.map(({ to, label }, i) => (
          <li key={to}>
            <ScreenLink className="back" to={to} search={searchOf(to)} size="sm" inherit={false}>
              {i === 0 && <IconArrowLeft size={14} stroke={1.8} aria-hidden />} {label}
            </ScreenLink>
          </li>
        ))}
      </ol>
    </nav>
  )
}

export interface Step {
  title: ReactNode
  at: string | null | undefined
  text?: ReactNode
}

/** Shows the history of a record, newest first. Omits steps without a date. */
export function Timeline({ steps }: { steps: Step[] }) {
  const happened = steps
    .filter(({ at }) => at)
    .sort((a, b) => Date.parse(a.at ?? '') - Date.parse(b.at ?? ''))
    .reverse()
  return (
    <Steps bulletSize={12} lineWidth={2} active={0} color="var(--accent)" className="steps">
      {happened.map(({ title, at, text }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps can be identical and never move
        <Steps.Item key={i} title={title}>
          {text && (
            <Text size="sm" className="breaks">
              {text}
            </Text>
          )}
          <Text size="xs" c="dimmed" component="div">
            <When at={at} />
          </Text>
        </Steps.Item>
      ))}
    </Steps>
  )
}

export function WithTimeline({
  of,
  titleOf = formatState,
  children,
}: {
  of: { status: string; at: string; message: string | null }[]
  /** Returns the title of a state. */
  titleOf?: (status: string) => string
  children: ReactNode
}) {
  return (
    <div className="beside">
      <Stack gap="lg">{children}</Stack>
      <Card title="Timeline">
        <Timeline
          steps={of.map(({ status, at, message }) => ({
            title: titleOf(status),
            at,
            text: message,
          }))}
        />
      </Card>
    </div>
  )
}
