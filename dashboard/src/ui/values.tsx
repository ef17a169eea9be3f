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

/** Shows a value with a note below it. */
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

/** Creating a formatter is slow and a list can show many dates, so formatters are cached. */
const printers = new Map<string, Intl.DateTimeFormat>()

function printerOf(timeZone: string, how: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = timeZone + JSON.stringify(how)
  const known = printers.get(name) ?? new Intl.DateTimeFormat('en-NG', { ...how, timeZone })
  printers.set(name, known)
  return known
}

const YEAR = { year: 'numeric' } as const

/** Omits the year if it is the current one. */
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
 * Shows a point in time in the business's time zone, as payers see it, with the full date and time
 * zone in a tooltip. Logs show seconds.
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

/** The tone of each state: done, waiting, bad or neutral. */
type Tone = 'green' | 'yellow' | 'red' | 'gray'
const COLORS: Record<string, Tone> = {}
const paint = (color: Tone, states: string) => {
  for (const state of states.split(' ')) COLORS[state.toLowerCase()] = color
}
paint(
  'green',
  'Successful Paid Active Published Delivered Processed Used 200 201 Available Verified',
)
paint('yellow', 'Pending Processing Unverified Sent PartiallyPaid Open Reserved Queued Invited')
paint('red', 'Failed Rejected Blocked Overdue NeedsAttention Disabled Reversed Revoked')
paint('gray', 'Draft Abandoned Void Voided Cancelled Archived Inactive Expired Unpublished')
paint('gray', 'Refunded Released')

/**
 * The icons shown in addition to the colour, as on payer pages, for people who are colour-blind.
 */
const SIGNS = { green: IconCheck, yellow: IconClock, red: IconAlertTriangle, gray: IconPointFilled }

/** States whose displayed names differ from the API's. */
const NAMES: Record<string, string> = {
  Unverified: 'Needs approval',
  Captured: 'Not sent',
}

/** Formats a state: `PartiallyPaid` becomes "Partially paid". */
export const formatState = (state: string): string =>
  NAMES[state] ??
  state
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replace(/^./, (first) => first.toUpperCase())

/**
 * Adds a full stop to the bank's message if it lacks one. Returns undefined if there is no message.
 */
export const sentence = (text: string | null): string | undefined =>
  text ? text.replace(/([^.!?])$/, '$1.') : undefined

const CHANNELS: Record<string, string> = { USSD: 'USSD', OFFLINE: 'Outside Tradepost' }

/** Formats a share: 0.877 becomes `87.7%`. */
export const percent = (share: number): string =>
  share.toLocaleString('en-NG', { style: 'percent', maximumFractionDigits: 1 })

/** Returns the display name of a payment method: `BANK_TRANSFER` becomes "Bank transfer". */
export const channelName = (channel: string | null | undefined): string =>
  channel ? (CHANNELS[channel] ?? formatState(channel)) : '–'

/** Returns the tone for a state, however its words are joined. */
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

/** Shortens a reference to `TRX_2dGS…hR2V`, which is enough to recognise it in a list. */
export const shortReference = (reference: string): string =>
  reference.length > 14 ? `${reference.slice(0, 8)}…${reference.slice(-4)}` : reference

/** Shortens `ORD_Cv2vU9SUPeT9AYFPodWV` to `#PFODWV`, which is short enough to say on the phone. */
export const orderNumber = (reference: string): string => `#${reference.slice(-6).toUpperCase()}`

/**
 * Returns the path of an image on this server. Image URLs contain the public host, but the
 * dashboard may have been opened under another host and only shows images from its own origin.
 */
export const imagePath = (url: string | null | undefined): string | undefined => {
  const path = url ? URL.parse(url, location.origin)?.pathname : undefined
  return path?.startsWith('/media/') ? path : undefined
}

/** Truncates long text, such as an email address, to one line, with the full text in a tooltip. */
export const Truncated = ({
  text,
  also,
  isLong = false,
}: {
  text: string
  /** Added to the tooltip, for example the name that goes with an email address. */
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

/** Shows a value to copy: a reference, a secret, a link. */
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

/** Shows a technical name such as `invoice.paid`, which can wrap after separators. */
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

/** Shows JSON to read and copy. */
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

/** Longer documents are not coloured, because each coloured piece is a separate element. */
const COLOURED_MAX = 30_000
const PIECES =
  /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi

/** Colours strings, numbers and constants in a JSON document. */
function Coloured({ json }: { json: string }) {
  if (json.length > COLOURED_MAX || !/^\s*[[{]/.test(json)) return json
  const pieces: React.ReactNode[] = []
  let end = 0
  for (const { 0: piece, 1: text, 2: colon, index } of json.matchAll(PIECES)) {
    if (index > end) pieces.push(json.slice(end, index))
    end = index + piece.length
    // Property names keep the text colour, which sets them apart from values.
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
