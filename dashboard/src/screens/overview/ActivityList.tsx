import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Nothing } from '../../parts/states.tsx'
import { Money, short, When, words } from '../../parts/values.tsx'
import { useHref } from '../../shell/where.ts'
import type { Activity } from './types.ts'

/** The newest events, each leading to what it happened to. */
export function ActivityList({ of: lines }: { of: Activity[] }) {
  const href = useHref()
  if (lines.length === 0) {
    return (
      <Nothing
        title="Nothing happened yet"
        text="What is paid, sent or changed appears here at once."
      />
    )
  }
  return (
    <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
      {lines.map(({ id, type, reference, amount, currency, path, at }) => (
        <Group component="li" key={id} justify="space-between" wrap="nowrap" align="flex-start">
          <div style={{ minWidth: 0 }}>
            <Anchor component={Link} to={href(path)} fw={600}>
              {words(type.replaceAll('.', ' '))}
            </Anchor>
            <Text size="sm" c="dimmed">
              {reference && short(reference)} <When at={at} />
            </Text>
          </div>
          {amount !== null && <Money amount={amount} currency={currency ?? undefined} />}
        </Group>
      ))}
    </Stack>
  )
}
