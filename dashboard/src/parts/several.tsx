import { ActionIcon, Button, Group } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { t } from '../texts/parts.ts'

/** Beside the labelled fields of one of several: takes it out of the form again. */
export function TakeOut({ what, onClick }: { what: string; onClick(): void }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      // As far down as the fields are below their labels.
      mt={25}
      aria-label={t.takeOut(what)}
      onClick={onClick}
    >
      <IconTrash size={16} />
    </ActionIcon>
  )
}

/** Below several of a kind: adds another one to the form. */
export function AddOne({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <Group>
      <Button variant="default" size="xs" leftSection={<IconPlus size={14} />} onClick={onClick}>
        {label}
      </Button>
    </Group>
  )
}
