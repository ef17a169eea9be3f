import { Box, SimpleGrid, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export interface Figure {
  label: string
  value: ReactNode
  /** What it is about, in a few words. */
  hint?: ReactNode
}

/** A few numbers above a list; `undefined` while they are on their way. */
export function Figures({
  of,
  count = 4,
  lines = 1,
}: {
  of: Figure[] | undefined
  count?: number
  /** How many lines its hints take, so that nothing below moves when they come. */
  lines?: number
}) {
  return (
    <div className="figures-room">
      <SimpleGrid
        className="figures"
        cols={{ base: 2, md: of?.length ?? count }}
        spacing="sm"
        style={{ '--many': of?.length ?? count, '--characters': longest(of) }}
      >
        {of
          ? of.map(({ label, value, hint }) => (
              <Box key={label} className="card figure-tile" p={{ base: 'sm', sm: 'md' }}>
                <Text size="sm" c="dimmed">
                  {label}
                </Text>
                <Text className="figure">{value}</Text>
                {hint && (
                  <Text size="xs" c="dimmed" component="div" mih={`${lines * 1.45}em`}>
                    {hint}
                  </Text>
                )}
              </Box>
            ))
          : Array.from({ length: count }, (_, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
              <Box key={i} className="card" p={{ base: 'sm', sm: 'md' }}>
                <Skeleton width="45%">
                  <Text size="sm">&nbsp;</Text>
                </Skeleton>
                <Skeleton width="70%" className="figure">
                  &nbsp;
                </Skeleton>
                <Skeleton width="55%">
                  <Text size="xs" mih={`${lines * 1.45}em`}>
                    &nbsp;
                  </Text>
                </Skeleton>
              </Box>
            ))}
      </SimpleGrid>
    </div>
  )
}

/** As long as what is not text may be: ₦9,999,999.99. */
const USUAL = 13

/** All figures of a row have one size, in which the longest of them stands in one line. */
const longest = (of: Figure[] | undefined): number =>
  Math.max(...(of ?? []).map(({ value }) => (typeof value === 'string' ? value.length : USUAL)), 1)
