import { Box, SimpleGrid, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export interface Figure {
  label: string
  value: ReactNode
  /** What it is about, in a few words. */
  hint?: ReactNode
}

/** A few numbers above a list; `undefined` while they are on their way. */
export function Figures({ of, count = 4 }: { of: Figure[] | undefined; count?: number }) {
  return (
    <SimpleGrid cols={{ base: 2, md: of?.length ?? count }} spacing="sm">
      {of
        ? of.map(({ label, value, hint }) => (
            <Box key={label} className="card figure-room" p={{ base: 'sm', sm: 'md' }}>
              <Text size="sm" c="dimmed">
                {label}
              </Text>
              <Text className={figureClass(value)}>{value}</Text>
              {hint && (
                <Text size="xs" c="dimmed">
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
                <Text size="xs">&nbsp;</Text>
              </Skeleton>
            </Box>
          ))}
    </SimpleGrid>
  )
}

/** More than ₦9,999,999.99 would not stand in one line where there are four. */
const LONG = 12

/** A long number is set as small as its box needs it to be. */
export const figureClass = (value: ReactNode): string =>
  typeof value === 'string' && value.length > LONG ? 'figure figure-long' : 'figure'
