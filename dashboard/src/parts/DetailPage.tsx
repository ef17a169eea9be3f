import { Box, Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Failure, LoadingRecord } from './states.tsx'
import { Trail } from './Trail.tsx'

/** One record: where it belongs, what it is, what can be done with it, and its facts below. */
export function DetailPage({
  back,
  title,
  name,
  status,
  actions,
  read,
  children,
}: {
  /** The list that it stands in. */
  back: { to: string; label: string }
  title: ReactNode
  /** What it is found by again, where its heading does not say it: `₦70,000.00 · Ada Obi`. */
  name?: string | undefined
  status?: ReactNode
  actions?: ReactNode
  /** The query that it comes from, for its loading and broken states. */
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

/** Names and values; what is undefined is left out. */
export function Facts({ of }: { of: Record<string, ReactNode> }) {
  return (
    <div className="facts-room">
      <dl className="facts">
        {Object.entries(of).map(([name, value]) =>
          value === undefined ? null : (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
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
          ),
        )}
      </dl>
    </div>
  )
}
