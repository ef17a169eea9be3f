import { Anchor, Group, Progress, Stack, Text } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Card } from '../../parts/DetailPage.tsx'
import { useHref } from '../../shell/where.ts'

/** What each step is for, and where it is done; the last one is the operator's. */
const STEPS: Record<string, { label: string; text: string; path?: string }> = {
  business: {
    label: 'Say who you are',
    text: 'The e-mail address and telephone number that customers see.',
    path: 'settings',
  },
  settlement: {
    label: 'Add your bank account',
    text: 'Where your money is paid out to.',
    path: 'settings/payouts',
  },
  goods: {
    label: 'Ask for a first payment',
    text: 'With an invoice, a payment page or a product.',
    path: 'invoices/new',
  },
  webhook: {
    label: 'Connect your own server',
    text: 'A webhook tells it of each payment.',
    path: 'webhooks',
  },
  twoFactor: {
    label: 'Turn on two-factor',
    text: 'So that your password alone is not enough.',
    path: 'security',
  },
  provider: {
    label: 'Connect a live provider',
    text: 'Whoever runs this server does it, in its settings. Until then, use test mode.',
  },
}

const MARK = { size: 20, style: { flexShrink: 0, marginTop: 1 }, role: 'img' } as const

/**
 * What is to be done before one can live from it; gone once everything is done. `isWide` is for the
 * first day, when there is nothing else to be seen.
 */
export function SetUp({
  of: steps,
  isWide = false,
}: {
  of: { step: string; done: boolean }[]
  isWide?: boolean
}) {
  const done = steps.filter((one) => one.done).length
  if (done === steps.length) return null
  return (
    <Card title={isWide ? 'Get ready for your first sale' : 'Set up'}>
      <Stack gap="md">
        <div>
          <Progress value={(done / steps.length) * 100} aria-label="Steps that are done" />
          <Text size="sm" c="dimmed" mt={6}>
            {done} of {steps.length} steps done
          </Text>
        </div>
        <ul className={isWide ? 'set-up set-up-wide' : 'set-up'}>
          {steps.map((one) => (
            <Step key={one.step} of={one} />
          ))}
        </ul>
      </Stack>
    </Card>
  )
}

function Step({ of: { step, done: isDone } }: { of: { step: string; done: boolean } }) {
  const href = useHref()
  const { label, text, path } = STEPS[step]!
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="sm">
      {isDone ? (
        <IconCircleCheckFilled {...MARK} color="var(--good)" aria-label="Done" />
      ) : (
        <IconCircle {...MARK} stroke={1.6} color="var(--line-strong)" aria-label="To do" />
      )}
      <div>
        {path && !isDone ? (
          <Anchor component={Link} to={href(path)} size="sm" fw={600}>
            {label}
          </Anchor>
        ) : (
          <Text size="sm" fw={isDone ? 500 : 600} c={isDone ? 'dimmed' : undefined}>
            {label}
          </Text>
        )}
        {!isDone && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
      </div>
    </Group>
  )
}
