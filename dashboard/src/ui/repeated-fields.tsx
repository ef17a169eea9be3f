import { ActionIcon, Group } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { ActionButton } from './buttons.tsx'

/** Removes a repeated group of fields from the form. */
export function RemoveButton({ what, onClick }: { what: string; onClick(): void }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      // Aligns the button with the inputs, below their labels.
      mt={25}
      aria-label={`Remove ${what}`}
      onClick={onClick}
    >
      <IconTrash size={16} />
    </ActionIcon>
  )
}

/** Adds another group of fields to the form. */
export function AddButton({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <Group>
      <ActionButton icon={IconPlus} label={label} size="xs" onClick={onClick} />
    </Group>
  )
}
