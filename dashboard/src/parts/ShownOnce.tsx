import { Alert, Button, Code, CopyButton, Group, Modal, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy, IconEyeOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '../texts/en.ts'
import { t as own } from '../texts/parts.ts'

interface ShownOnceProps {
  title: string
  /** Undefined while there is nothing to show. */
  secret: string | undefined
  /** What it is for, and where it belongs. */
  children: ReactNode
  onClose(): void
}

/** A secret, the only time that it can be seen. It is nowhere else: not in the cache of reads. */
export function ShownOnce({ title, secret, children, onClose }: ShownOnceProps) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title={title}
      size="lg"
      // Nobody loses it by a click beside it.
      closeOnClickOutside={false}
    >
      {secret !== undefined && (
        <Stack>
          <Alert color="yellow" icon={<IconEyeOff size={18} />}>
            {own.copyItNowItIs}
          </Alert>
          <Code p="sm" style={{ overflowWrap: 'anywhere' }}>
            {secret}
          </Code>
          <Text size="sm" c="dimmed">
            {children}
          </Text>
          <Group justify="flex-end">
            <CopyButton value={secret}>
              {({ copied, copy }) => (
                <Button
                  variant="default"
                  leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
                  onClick={copy}
                  data-autofocus
                >
                  {copied ? t.action.copied : t.action.copy}
                </Button>
              )}
            </CopyButton>
            <Button onClick={onClose}>{own.iHaveSavedIt}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
