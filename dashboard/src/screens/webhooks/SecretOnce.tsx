import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconEyeOff } from '@tabler/icons-react'
import { Copyable } from '../../parts/values.tsx'

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
          <Copyable text={secret} />
          <Text size="sm" c="dimmed">
            Your server checks by it that a request is from here: webhook-signature follows Standard
            Webhooks, so any of its libraries does it.
          </Text>
          <Group justify="flex-end">
            <Button onClick={onClose}>I have kept it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
