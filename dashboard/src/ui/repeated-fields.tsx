import { ActionIcon, Group } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { ActionButton } from './buttons.tsx'

/** Beside the labelled fields of one of several: takes it out of the form again. */
export function RemoveButton({ what, onClick }: { what: string; onClick(): void }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      // As far down as the fields are below their labels.
      mt={25}
      aria-label={`Remove ${what}`}
      onClick={onClick}
    >
      <IconTrash size={16} />
    </ActionIcon>
  )
}

/** Below several of a kind: adds another one to the form. */
export function AddButton({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <Group>
      <ActionButton icon={IconPlus} label={label} size="xs" onClick={onClick} />
    </Group>
  )
}
