import { Alert, Code, CopyButton, Group, Modal, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy, IconEyeOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ActionButton } from './buttons.tsx'

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
            Copy it now: it is shown only once. If you lose it, rotate it to get a new one.
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
                <ActionButton
                  icon={copied ? IconCheck : IconCopy}
                  label={copied ? 'Copied' : 'Copy'}
                  onClick={copy}
                  data-autofocus
                />
              )}
            </CopyButton>
            <ActionButton label="I have saved it" isMain onClick={onClose} />
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
