import { Anchor, Group, Progress, Stack, Text } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Card } from '../../parts/DetailPage.tsx'
import { useHref } from '../../shell/where.ts'
import { t } from '../../texts/overview.ts'

/** What each step is for, and where it is done. */
const STEPS: Record<string, { label: string; text: string; path: string }> = {
  business: {
    label: t.sayWhoYouAre,
    text: t.theEMailAddressAnd,
    path: 'settings',
  },
  settlement: {
    label: t.addYourBankAccount,
    text: t.whereYourMoneyIsPaid,
    path: 'settings/payouts',
  },
  goods: {
    label: t.askForAFirstPayment,
    text: t.withAnInvoiceAPayment,
    path: 'invoices/new',
  },
  webhook: {
    label: t.connectYourOwnServer,
    text: t.aWebhookTellsItOf,
    path: 'webhooks',
  },
  twoFactor: {
    label: t.turnOnTwoFactor,
    text: t.soThatYourPasswordAlone,
    path: 'security',
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
    <Card title={isWide ? t.getReadyForYourFirst : t.setUp}>
      <Stack gap="md">
        <div>
          <Progress value={(done / steps.length) * 100} aria-label={t.stepsThatAreDone} />
          <Text size="sm" c="dimmed" mt={6}>
            {t.ofStepsDone(done, steps.length)}
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
        <IconCircleCheckFilled {...MARK} color="var(--good)" aria-label={t.done} />
      ) : (
        <IconCircle {...MARK} stroke={1.6} color="var(--line-strong)" aria-label={t.toDo} />
      )}
      <div>
        {!isDone ? (
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
