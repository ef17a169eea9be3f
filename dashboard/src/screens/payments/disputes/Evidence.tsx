import { Anchor, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconTrash, IconUpload } from '@tabler/icons-react'
import type { Dispute } from '../../../../../sdk/src/operations.ts'
import { addressOf } from '../../../api/call.ts'
import { download } from '../../../api/download.ts'
import { act, useAction } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { at } from '../../../api/request.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Card } from '../../../ui/DetailPage.tsx'
import { bytesOf, DropZone, Uploads, useUploads } from '../../../ui/uploads.tsx'
import { When } from '../../../ui/values.tsx'

/** The same limits as on the server, because providers take nothing else. */
const FILES = {
  types: ['application/pdf', 'image/jpeg', 'image/png'],
  bytesMax: 10 * 1024 * 1024,
  says: 'PDF, JPEG or PNG, up to 10 MiB each.',
} as const
const FILES_MAX = 5

type File = Dispute['evidence'][number]

/** The files that support a response. Nobody changes them once the bank has decided. */
export function Evidence({ of: { reference, status, evidence, response } }: { of: Dispute }) {
  const may = usePermission()
  const uploads = useUploads(`disputes/${reference}/evidence`, {
    ...FILES,
    ...at('add_dispute_evidence', { reference }),
  })
  const mayChange = may('disputes:write') && status === 'Open'
  if (evidence.length === 0 && !mayChange) return null
  return (
    <Card title="Evidence">
      {evidence.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          Add what shows that the payment is right, such as a receipt or a signed delivery note. The
          provider takes one file with your response.
        </Text>
      )}
      <Stack gap="sm">
        {evidence.map((file) => (
          <OneFile
            key={file.id}
            reference={reference}
            of={file}
            isUsed={file.id === response?.evidenceId}
            mayRemove={mayChange}
          />
        ))}
      </Stack>
      {mayChange && evidence.length < FILES_MAX && (
        <div style={{ marginTop: evidence.length > 0 ? 'var(--s4)' : 0 }}>
          <DropZone
            verb="Add files"
            icon={<IconUpload size={14} />}
            says={FILES.says}
            types={FILES.types}
            onFiles={uploads.add}
          />
        </div>
      )}
      <Uploads {...uploads} />
    </Card>
  )
}

function OneFile({
  reference,
  of: { id: evidenceId, name, bytes, createdAt },
  isUsed,
  mayRemove,
}: {
  reference: string
  of: File
  /** Whether it was sent with the response, and so has to stay. */
  isUsed: boolean
  mayRemove: boolean
}) {
  const removal = useAction(
    act('delete_dispute_evidence', {
      input: () => ({ reference, evidenceId }),
      done: 'File removed.',
    }),
  )
  const save = () => {
    const { path } = at('get_dispute_evidence', { reference, evidenceId })
    download(addressOf(path)).catch((error: Error) =>
      notifications.show({ message: error.message, color: 'red' }),
    )
  }
  const remove = () =>
    confirm({
      title: `Remove ${name}?`,
      text: 'The file is deleted.',
      verb: 'Remove file',
      isDangerous: true,
      go: () => removal.mutate(),
    })
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Anchor
          component="button"
          type="button"
          fw={600}
          ta="left"
          className="breaks"
          onClick={save}
        >
          {name}
        </Anchor>
        <Text size="sm" c="dimmed" component="div">
          {bytesOf(bytes)} · <When at={createdAt} />
          {isUsed && ' · sent with your response'}
        </Text>
      </div>
      {mayRemove && !isUsed && (
        <ActionButton
          icon={IconTrash}
          label="Remove"
          size="xs"
          loading={removal.isPending}
          onClick={remove}
          aria-label={`Remove ${name}`}
        />
      )}
    </Group>
  )
}
