import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconEyeOff } from '@tabler/icons-react'
import { Copyable } from '../../parts/values.tsx'
import type { MadeKey } from './types.ts'

/** Shows a key the only time that it can be seen. It is nowhere else: not in the cache of reads. */
export function KeyOnce({ made, onClose }: { made: MadeKey | undefined; onClose(): void }) {
  return (
    <Modal
      opened={made !== undefined}
      onClose={onClose}
      title="Your new key"
      size="lg"
      // Nobody loses it by a click beside it.
      closeOnClickOutside={false}
    >
      {made && (
        <Stack>
          <Alert color="yellow" icon={<IconEyeOff size={18} />}>
            Copy it now: it is shown only once. If you lose it, rotate it to get another.
          </Alert>
          <Copyable text={made.key} />
          <Text size="sm" c="dimmed">
            {made.type === 'secret'
              ? 'Keep it on your server: never in a browser, an app or a repository.'
              : 'Anybody may see it.'}
          </Text>
          <Group justify="flex-end">
            <Button onClick={onClose}>I have saved it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
