import { Badge } from '@mantine/core'
import { t } from '../../texts/webhooks.ts'

const colorOf = (status: number): string =>
  status < 300 ? 'green' : status < 400 ? 'gray' : status < 500 ? 'yellow' : 'red'

/** A status of HTTP in its colour; that of an endpoint is bad unless it is 2xx. */
export function Answer({ status, error }: { status: number | null; error?: string | null }) {
  if (status === null) {
    return error ? <Mark color="red">{t.noAnswer}</Mark> : <>–</>
  }
  return <Mark color={error ? 'red' : colorOf(status)}>{status}</Mark>
}

function Mark({ color, children }: { color: string; children: React.ReactNode }) {
  return (
    <Badge
      className={`state-${color}`}
      variant="light"
      color={color}
      radius="sm"
      miw="max-content"
      tt="none"
      fw={600}
    >
      {children}
    </Badge>
  )
}
