import { Alert, Button, Code, CopyButton, Group, Modal, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy, IconEyeOff } from '@tabler/icons-react'
import { t } from '../../texts/en.ts'

/** Shows the secret of an endpoint the only time that it can be seen. */
export function SecretOnce({ secret, onClose }: { secret: string | undefined; onClose(): void }) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title="Signing secret"
      size="lg"
      // Nobody loses it by a click beside it.
      closeOnClickOutside={false}
    >
      {secret !== undefined && (
        <Stack>
          <Alert color="yellow" icon={<IconEyeOff size={18} />}>
            Copy it now: it is shown this once. If it is lost, rotate it for another.
          </Alert>
          <Code p="sm" style={{ overflowWrap: 'anywhere' }}>
            {secret}
          </Code>
          <Text size="sm" c="dimmed">
            Your server checks by it that a request is from here: webhook-signature follows Standard
            Webhooks, so any of its libraries does it.
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
                  {copied ? t.action.copied : 'Copy the secret'}
                </Button>
              )}
            </CopyButton>
            <Button onClick={onClose}>I have kept it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
