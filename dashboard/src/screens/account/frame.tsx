import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Mark } from '../../shell/Mark.tsx'

/** The frame of what one sees before one is signed in. */
export function Outside({
  title,
  text,
  children,
}: {
  title: string
  text?: string | undefined
  children: ReactNode
}) {
  return (
    <main className="outside">
      <div className="outside-brand">
        <Mark size={32} /> Tradepost
      </div>
      <div className="card sheet">
        <div className="weave" aria-hidden />
        <div className="outside-body">
          <Stack gap={4} mb="lg">
            <Title order={1}>{title}</Title>
            {text && (
              <Text size="sm" c="dimmed">
                {text}
              </Text>
            )}
          </Stack>
          {children}
        </div>
      </div>
    </main>
  )
}
