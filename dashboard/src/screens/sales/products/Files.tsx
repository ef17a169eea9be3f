import { Group, NumberInput, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { IconClock, IconPencil, IconTrash, IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import type { DigitalDownloadFile, Product } from '../../../../../sdk/src/operations.ts'
import { act } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { at } from '../../../api/request.ts'
import { undoWith } from '../../../api/undo.tsx'
import { Card } from '../../../ui/DetailPage.tsx'
import { FormModal } from '../../../ui/forms.tsx'
import { MoreMenu } from '../../../ui/MoreMenu.tsx'
import { bytesOf, DropZone, Uploads, useUploads } from '../../../ui/uploads.tsx'

export const FILES = { bytesMax: 500 * 1024 * 1024, says: 'Any type, up to 500 MiB each.' }

export const fileTarget = (productId: string) => ({
  ...FILES,
  ...at('add_digital_download_file'),
  fields: { productId },
})
export const filesOf = (productId: string): string => `products/${productId}/files`

export function Files({ of: { productId, digitalFiles } }: { of: Product }) {
  const writes = usePermission()('products:write')
  const [asked, ask] = useState<{ what: 'name' | 'limits' | 'delete'; file: DigitalDownloadFile }>()
  const uploads = useUploads(filesOf(productId), fileTarget(productId))
  const close = () => ask(undefined)
  return (
    <Card title="Files">
      {digitalFiles.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          Payers get a link to each file by email after they pay.
        </Text>
      )}
      <Stack gap="sm">
        {digitalFiles.map((file) => (
          <Group key={file.digitalDownloadFileId} justify="space-between" wrap="nowrap">
            <div>
              <Text fw={600} className="breaks">
                {file.name}
              </Text>
              <Text size="sm" c="dimmed">
                {[
                  bytesOf(file.bytes),
                  `${file.downloads} downloads`,
                  file.expiryValue && `link expires after ${file.expiryValue} ${file.expiryUnit}`,
                  file.maxDownloads && `limit ${file.maxDownloads}`,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </Text>
            </div>
            <MoreMenu
              choices={[
                {
                  label: 'Rename',
                  icon: IconPencil,
                  may: writes,
                  go: () => ask({ what: 'name', file }),
                },
                {
                  label: 'Limit downloads',
                  icon: IconClock,
                  may: writes,
                  go: () => ask({ what: 'limits', file }),
                },
                {
                  label: 'Delete',
                  icon: IconTrash,
                  isDangerous: true,
                  may: writes,
                  go: () => ask({ what: 'delete', file }),
                },
              ]}
            />
          </Group>
        ))}
      </Stack>
      {writes && (
        <div style={{ marginTop: digitalFiles.length > 0 ? 'var(--s4)' : 0 }}>
          <DropZone
            verb="Add files"
            icon={<IconUpload size={14} />}
            says={FILES.says}
            onFiles={uploads.add}
          />
        </div>
      )}
      <Uploads {...uploads} />
      {asked?.what === 'name' && <RenameForm of={asked.file} onClose={close} />}
      {asked?.what === 'limits' && <LimitsForm of={asked.file} onClose={close} />}
      {asked?.what === 'delete' && <DeleteForm of={asked.file} onClose={close} />}
    </Card>
  )
}

interface FormProps {
  of: DigitalDownloadFile
  onClose(): void
}

function RenameForm({ of: { productId, digitalDownloadFileId, name }, onClose }: FormProps) {
  return (
    <FormModal
      title="Rename file"
      opened
      onClose={onClose}
      initial={{ name }}
      action={act('rename_digital_download_file', {
        input: (values: { name: string }) => ({ productId, digitalDownloadFileId, ...values }),
        done: 'File renamed.',
        undo: () =>
          undoWith(
            'rename_digital_download_file',
            { productId, digitalDownloadFileId, name },
            { says: 'File name restored.' },
          ),
      })}
      verb="Rename"
    >
      {(form) => (
        <TextInput
          label="Name"
          description="The name payers see."
          required
          data-autofocus
          {...form.field('name')}
        />
      )}
    </FormModal>
  )
}

function DeleteForm({ of: { productId, digitalDownloadFileId, name }, onClose }: FormProps) {
  return (
    <FormModal<{ status: boolean }>
      title={`Delete ${name}?`}
      opened
      onClose={onClose}
      initial={{ status: false }}
      action={act('delete_digital_download_file', {
        input: ({ status }: { status: boolean }) => ({ productId, digitalDownloadFileId, status }),
        done: 'File deleted.',
      })}
      verb="Delete file"
    >
      {(form) => (
        <>
          <Text size="sm">New payers won’t get this file.</Text>
          <Switch label="Also remove the file for past payers" {...form.checkbox('status')} />
        </>
      )}
    </FormModal>
  )
}

const UNITS = ['minutes', 'hours', 'days'] as const

interface Values extends Record<string, unknown> {
  expiryValue: number | string
  expiryUnit: (typeof UNITS)[number]
  maxDownloads: number | string
}

const orNull = (value: number | string): number | null => (value === '' ? null : Number(value))

function LimitsForm({
  of: { productId, digitalDownloadFileId, expiryValue, expiryUnit, maxDownloads },
  onClose,
}: {
  of: DigitalDownloadFile
  onClose(): void
}) {
  return (
    <FormModal<Values>
      title="Limit downloads"
      opened
      onClose={onClose}
      initial={{
        expiryValue: expiryValue ?? '',
        expiryUnit: expiryUnit ?? 'days',
        maxDownloads: maxDownloads ?? '',
      }}
      action={act('set_download_link_expiry', {
        input: (values: Values) => ({
          productId,
          digitalDownloadFileId,
          expiryValue: orNull(values.expiryValue),
          expiryUnit: values.expiryValue === '' ? null : values.expiryUnit,
          maxDownloads: orNull(values.maxDownloads),
        }),
        done: 'Limits saved. They apply only to new links.',
      })}
      verb="Save limits"
    >
      {(form) => (
        <>
          <Group align="flex-start" grow>
            <NumberInput
              label="Link expires after"
              placeholder="Never"
              min={1}
              allowDecimal={false}
              data-autofocus
              {...form.field('expiryValue')}
            />
            <Select label="Unit" data={UNITS} allowDeselect={false} {...form.field('expiryUnit')} />
          </Group>
          <NumberInput
            label="Download limit"
            placeholder="Unlimited"
            min={1}
            allowDecimal={false}
            {...form.field('maxDownloads')}
          />
        </>
      )}
    </FormModal>
  )
}
