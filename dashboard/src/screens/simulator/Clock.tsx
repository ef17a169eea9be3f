import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { IconClockPlay } from '@tabler/icons-react'
import { useState } from 'react'
import { type Envelope, useAction } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card } from '../../parts/DetailPage.tsx'
import { When } from '../../parts/values.tsx'
import { t } from '../../texts/simulator.ts'

type Span = keyof typeof t.clock.spans

const SPANS = Object.entries(t.clock.spans).map(([value, label]) => ({ value, label }))

/** Lets time pass for the test data of the business, which nothing takes back. */
export function Clock() {
  const [span, setSpan] = useState<Span>('86400')
  const move = useAction<Envelope<{ now: string }>>({
    path: '/api/simulator/clock',
    send: () => ({ advanceSeconds: Number(span) }),
  })
  const ask = () =>
    confirm({
      title: t.clock.ask(t.clock.spans[span]),
      text: t.clock.askText,
      verb: t.clock.verb,
      go: () => move.mutate(),
    })
  const now = move.data?.data.now
  return (
    <Card title={t.clock.title}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t.clock.text}
        </Text>
        <Group align="flex-end">
          <Select
            label={t.clock.span}
            data={SPANS}
            allowDeselect={false}
            value={span}
            onChange={(wanted) => wanted && setSpan(wanted as Span)}
          />
          <Button leftSection={<IconClockPlay size={16} />} loading={move.isPending} onClick={ask}>
            {t.clock.verb}
          </Button>
        </Group>
        <Text size="sm" component="div" role="status">
          {now && (
            <>
              {t.clock.now} <When at={now} />.
            </>
          )}
        </Text>
      </Stack>
    </Card>
  )
}
