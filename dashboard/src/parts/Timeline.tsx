import { Stack, Timeline as Steps, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../texts/parts.ts'
import { Card } from './DetailPage.tsx'
import { When, words } from './values.tsx'

export interface Step {
  title: ReactNode
  at: string | null | undefined
  text?: ReactNode
}

/** What happened to a record, the newest first; steps without a moment did not happen. */
export function Timeline({ steps }: { steps: Step[] }) {
  const happened = steps
    .filter(({ at }) => at)
    .sort((a, b) => Date.parse(a.at ?? '') - Date.parse(b.at ?? ''))
    .reverse()
  return (
    <Steps bulletSize={12} lineWidth={2} active={0} color="var(--accent)" className="steps">
      {happened.map(({ title, at, text }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two steps may be alike, and none moves
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

/** The cards of a record, and at their side what happened to it, as it says itself. */
export function WithTimeline({
  of,
  titleOf = words,
  children,
}: {
  of: { status: string; at: string; message: string | null }[]
  /** What a state is called. */
  titleOf?: (status: string) => string
  children: ReactNode
}) {
  return (
    <div className="beside">
      <Stack gap="lg">{children}</Stack>
      <Card title={t.whatHappened}>
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
