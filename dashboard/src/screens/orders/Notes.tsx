import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { useSubmit } from '../../parts/submit.tsx'
import { When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/orders.ts'

interface Note {
  id: number
  text: string
  author: string
  createdAt: string
}

const LENGTH_MAX = 2_000
const NOTHING = { text: '' }

/** What the team writes down about an order for itself. */
export function Notes({ of: reference }: { of: string }) {
  const path = `/console/orders/${reference}/notes`
  const mayWrite = useMay()('orders:write')
  const { data } = useRead<Envelope<Note[]>>(path)
  const notes = data?.data ?? []
  if (notes.length === 0 && !mayWrite) return null
  return (
    <div className="not-printed">
      <Card title={t.notes}>
        <Stack gap="lg">
          {mayWrite && <NewNote path={path} />}
          {notes.length > 0 && (
            <ul className="bare notes" aria-label={t.notes}>
              {notes.map(({ id, text, author, createdAt }) => (
                <li key={id}>
                  <Text className="as-written breaks">{text}</Text>
                  <Text size="sm" c="dimmed" component="div" className="breaks">
                    {author} · <When at={createdAt} />
                  </Text>
                </li>
              ))}
            </ul>
          )}
        </Stack>
      </Card>
    </div>
  )
}

function NewNote({ path }: { path: string }) {
  const form = useForm({
    initialValues: NOTHING,
    validate: { text: (text) => (text.trim() === '' ? t.writeANoteFirst : null) },
  })
  const { submit, isPending } = useSubmit(form, { path, done: t.noteAdded }, () => {
    form.setValues(NOTHING)
    form.resetDirty(NOTHING)
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xs">
        <Textarea
          label={t.newNote}
          description={t.onlyYourTeamSeesNotes}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={LENGTH_MAX}
          {...form.getInputProps('text')}
        />
        <Group justify="flex-end">
          <Button type="submit" variant="default" loading={isPending}>
            {t.addNote}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
