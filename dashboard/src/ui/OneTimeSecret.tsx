import { Alert, Code, CopyButton, Group, Modal, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy, IconEyeOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ActionButton } from './buttons.tsx'

interface ShownOnceProps {
  title: string
  /** Undefined hides the dialog. */
  secret: string | undefined
  /** Says what the secret is for. */
  children: ReactNode
  onClose(): void
}

/**
 * Shows a secret that can't be shown again. It is stored nowhere else, not even in the query cache.
 */
export function OneTimeSecret({ title, secret, children, onClose }: ShownOnceProps) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title={title}
      size="lg"
      // Only the button closes the dialog. A click outside, Esc or “Back” would lose the secret.
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {secret !== undefined && (
        <Stack>
          <Alert color="yellow" icon={<IconEyeOff size={18} />}>
            Copy it now. It won’t be shown again.
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
