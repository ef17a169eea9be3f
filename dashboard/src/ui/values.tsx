import { ActionIcon, Badge, Code, CopyButton, Group, Stack, Text, Tooltip } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCheck,
  IconClock,
  IconCopy,
  IconPointFilled,
} from '@tabler/icons-react'
import { Fragment, type ReactNode } from 'react'
import { useTimeZone } from './days.ts'

/** Formats an amount in major units, as the API returns it. */
export function money(amount: number | null | undefined, currency = 'NGN'): string {
  if (amount === null || amount === undefined) return '–'
  const text = new Intl.NumberFormat('en-NG', { style: 'currency', currency }).format(amount)
  return text.replace('-', '−')
}

/** Formats an amount that the API gives only in minor units. */
export function minorMoney(
  minor: number | null | undefined,
  currency: string | null | undefined,
): string {
  if (minor === null || minor === undefined || !currency) return '–'
  const { maximumFractionDigits: decimals = 2 } = new Intl.NumberFormat('en-NG', {
    style: 'currency',
    currency,
  }).resolvedOptions()
  return money(minor / 10 ** decimals, currency)
}

export function WithNote({ note, children }: { note: ReactNode; children: ReactNode }) {
  return (
    <Stack gap={0}>
      <span>{children}</span>
      {note && (
        <Text span size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Stack>
  )
}

export function Money({
  amount,
  currency,
}: {
  amount: number | null | undefined
  currency?: string
}) {
  return (
    <Text span inherit fw={600} className="whole">
      {money(amount, currency)}
    </Text>
  )
}

/** Cached because creating a formatter is slow, and a list can show many dates. */
const printers = new Map<string, Intl.DateTimeFormat>()

function printerOf(timeZone: string, how: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = timeZone + JSON.stringify(how)
  const known = printers.get(name) ?? new Intl.DateTimeFormat('en-NG', { ...how, timeZone })
  printers.set(name, known)
  return known
}

const YEAR = { year: 'numeric' } as const

/** Omits the current year. */
function brief(date: Date, timeZone: string, isExact: boolean): string {
  const yearOf = (of: Date) => printerOf(timeZone, YEAR).format(of)
  return printerOf(timeZone, {
    day: 'numeric',
    month: 'short',
    ...(yearOf(date) !== yearOf(new Date()) && YEAR),
    hour: '2-digit',
    minute: '2-digit',
    ...(isExact && { second: '2-digit' }),
  }).format(date)
}

/**
 * Shows a point in time in the business's time zone, in which payers see it. The tooltip has the
 * full date and the time zone. Logs show seconds.
 */
export function When({
  at,
  isExact = false,
}: {
  at: string | null | undefined
  isExact?: boolean
}) {
  const timeZone = useTimeZone()
  if (!at) return <>–</>
  const date = new Date(at)
  const whole = printerOf(timeZone, { dateStyle: 'full', timeStyle: 'long' })
  return (
    <Tooltip label={`${whole.format(date)} (${timeZone})`}>
      <time dateTime={at} className="whole">
        {brief(date, timeZone, isExact)}
      </time>
    </Tooltip>
  )
}

/** The colour of a state: done, waiting, bad or neutral. */
type Tone = 'green' | 'yellow' | 'red' | 'gray'
const COLORS: Record<string, Tone> = {}
const paint = (color: Tone, states: string) => {
  for (const state of states.split(' ')) COLORS[state.toLowerCase()] = color
}
paint(
  'green',
  'Successful Paid Active Published Delivered Processed Used 200 201 Available Verified Won Closed',
)
paint('green', 'Accepted')
paint('yellow', 'Pending Processing Unverified Sent PartiallyPaid Open Reserved Queued Invited')
paint('yellow', 'UnderReview Sending Opened BeingCompared')
paint(
  'red',
  'Failed Rejected Blocked Overdue NeedsAttention Disabled Reversed Revoked Lost Incomplete',
)
paint('gray', 'Draft Abandoned Void Voided Cancelled Archived Inactive Expired Unpublished')
paint('yellow', 'Held Returning')
paint('gray', 'Refunded Released Returned ReturnedByProvider')

/** Icons for people who are colour-blind, in addition to the colour. The same as on payer pages. */
const SIGNS = { green: IconCheck, yellow: IconClock, red: IconAlertTriangle, gray: IconPointFilled }

/** States with display names that differ from the API's. */
const NAMES: Record<string, string> = {
  Unverified: 'Needs approval',
  Captured: 'Not sent',
  ReturnedByProvider: 'Returned by provider',
}

/** "Partially paid" for `PartiallyPaid`. */
export const formatState = (state: string): string =>
  NAMES[state] ??
  state
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replace(/^./, (first) => first.toUpperCase())

/** Adds a full stop to a bank's message that has none. Returns undefined if there is no message. */
export const sentence = (text: string | null): string | undefined =>
  text ? text.replace(/([^.!?])$/, '$1.') : undefined

const CHANNELS: Record<string, string> = { USSD: 'USSD', OFFLINE: 'Outside Tradepost' }

/** `87.7%` for 0.877. */
export const percent = (share: number): string =>
  share.toLocaleString('en-NG', { style: 'percent', maximumFractionDigits: 1 })

/** "Bank transfer" for `BANK_TRANSFER`. */
export const channelName = (channel: string | null | undefined): string =>
  channel ? (CHANNELS[channel] ?? formatState(channel)) : '–'

/** Returns the colour of a state, with or without spaces, underscores or dots between its words. */
export const toneOf = (state: string): Tone =>
  COLORS[state.replace(/[\s_.]/g, '').toLowerCase()] ?? 'gray'

export function Status({ of }: { of: string | null | undefined }) {
  if (!of) return <>–</>
  const color = toneOf(of)
  const Sign = SIGNS[color]
  return (
    <Badge
      className={`state-${color}`}
      variant="light"
      color={color}
      miw="max-content"
      leftSection={<Sign size={12} stroke={2.5} aria-hidden />}
    >
      {formatState(of)}
    </Badge>
  )
}

/** `TRX_2dGS…hR2V`, which is enough to recognise a reference in a list. */
export const shortReference = (reference: string): string =>
  reference.length > 14 ? `${reference.slice(0, 8)}…${reference.slice(-4)}` : reference

/** `#PFODWV` for `ORD_Cv2vU9SUPeT9AYFPodWV`, which is short enough to say on the phone. */
export const orderNumber = (reference: string): string => `#${reference.slice(-6).toUpperCase()}`

/**
 * Returns the path of an image on this server. Image URLs contain the public host, but the
 * dashboard may be open under another host, and it only shows images from its own origin.
 */
export const imagePath = (url: string | null | undefined): string | undefined => {
  const path = url ? URL.parse(url, location.origin)?.pathname : undefined
  return path?.startsWith('/media/') ? path : undefined
}

/** Truncates long text, such as an email address, to one line. The tooltip has the full text. */
export const Truncated = ({
  text,
  also,
  isLong = false,
}: {
  text: string
  /** Added to the tooltip, such as the name for an email address. */
  also?: string | null | undefined
  isLong?: boolean
}) => (
  <span
    className={isLong ? 'clip clip-long' : 'clip'}
    title={also && also !== text ? `${text}, ${also}` : text}
  >
    {text}
  </span>
)

export function Copyable({ text, shown }: { text: string; shown?: string }) {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <Code className={shown ? 'whole' : 'breaks'}>{shown ?? text}</Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : 'Copy'}>
            <ActionIcon
              className="in-line"
              variant="subtle"
              color="gray"
              size="sm"
              flex="none"
              onClick={(event) => {
                event.stopPropagation()
                copy()
              }}
              aria-label={`Copy ${shown ?? text}`}
            >
              {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  )
}

/** A technical name such as `invoice.paid`, which can wrap after separators. */
export function Name({ of }: { of: string }) {
  const parts = of.split(/(?<=[._/])/)
  return parts.map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts can be identical and never move
    <Fragment key={i}>
      {part}
      <wbr />
    </Fragment>
  ))
}

export function Json({ value }: { value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <div className="json">
      <Code block mah={420} style={{ overflow: 'auto' }} tabIndex={0}>
        <Coloured json={text} />
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <ActionIcon
            className="json-copy"
            variant="default"
            size="md"
            onClick={copy}
            aria-label={copied ? 'Copied' : 'Copy'}
          >
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        )}
      </CopyButton>
    </div>
  )
}

/** Longer documents have no colours, because each coloured part is a separate element. */
const COLOURED_MAX = 30_000
const PIECES =
  /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi

function Coloured({ json }: { json: string }) {
  if (json.length > COLOURED_MAX || !/^\s*[[{]/.test(json)) return json
  const pieces: React.ReactNode[] = []
  let end = 0
  for (const { 0: piece, 1: text, 2: colon, index } of json.matchAll(PIECES)) {
    if (index > end) pieces.push(json.slice(end, index))
    end = index + piece.length
    // Property names keep the colour of text, which distinguishes them from values.
    if (colon !== undefined) pieces.push(piece)
    else {
      pieces.push(
        <span key={index} className={text ? 'json-text' : 'json-value'}>
          {piece}
        </span>,
      )
    }
  }
  pieces.push(json.slice(end))
  return pieces
}
