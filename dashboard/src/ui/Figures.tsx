import { Box, SimpleGrid, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export interface Figure {
  label: string
  value: ReactNode
  hint?: ReactNode
}

/** The figures above a list; `undefined` while loading. */
export function Figures({
  of,
  count = 4,
  lines = 1,
}: {
  of: Figure[] | undefined
  count?: number
  /** How many lines to reserve for hints, so that the layout does not jump. */
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
              // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are identical
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

/** The assumed length of a value that is not text. ₦9,999,999.99 has this length. */
const USUAL = 13

/**
 * Returns the length of the longest figure. All figures in a row have the font size at which this
 * one fits on one line.
 */
const longest = (of: Figure[] | undefined): number =>
  Math.max(...(of ?? []).map(({ value }) => (typeof value === 'string' ? value.length : USUAL)), 1)
