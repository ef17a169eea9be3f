import { ActionIcon, Group } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { ActionButton } from './buttons.tsx'

/** Removes one of several groups of fields from a form. */
export function RemoveButton({ what, onClick }: { what: string; onClick(): void }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      // Aligns the button with the inputs, which have labels above them.
      mt={25}
      aria-label={`Remove ${what}`}
      onClick={onClick}
    >
      <IconTrash size={16} />
    </ActionIcon>
  )
}

/** Adds another group of fields to a form. */
export function AddButton({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <Group>
      <ActionButton icon={IconPlus} label={label} size="xs" onClick={onClick} />
    </Group>
  )
}
