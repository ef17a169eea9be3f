import { Button, FileButton, Group, Stack, Switch, Text, TextInput } from '@mantine/core'
import { IconClock, IconPencil, IconTrash, IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import type { DigitalDownloadFile, Product } from '../../../../sdk/src/operations.ts'
import { useAction } from '../../api/hooks.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { FormModal } from '../../parts/FormModal.tsx'
import { MoreMenu } from '../../parts/MoreMenu.tsx'
import { useMay } from '../../shell/may.ts'
import { LimitsForm } from './LimitsForm.tsx'
import { formOf, Wrong } from './Pictures.tsx'
import { bytesOf } from './values.ts'

const PATH = 'payment-service/products'

/** What buyers download once they paid. */
export function Files({ of: { productId, digitalFiles } }: { of: Product }) {
  const writes = useMay()('products:write')
  const [asked, ask] = useState<{ what: 'name' | 'limits' | 'delete'; file: DigitalDownloadFile }>()
  const upload = useAction<unknown, File[]>({
    path: `${PATH}/add-digital-download-files`,
    send: (files) => formOf(productId, files),
    done: 'The files are there.',
  })
  const close = () => ask(undefined)
  return (
    <Card
      title="Files"
      actions={
        writes && (
          <FileButton multiple onChange={(files) => upload.mutate(files)}>
            {(props) => (
              <Button
                {...props}
                size="xs"
                variant="default"
                loading={upload.isPending}
                leftSection={<IconUpload size={14} />}
              >
                Add files
              </Button>
            )}
          </FileButton>
        )
      }
    >
      {digitalFiles.length === 0 && (
        <Text size="sm" c="dimmed">
          Buyers get a link to each file by e-mail once they paid. Any type, up to 500 MiB at once.
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
                  file.expiryValue && `for ${file.expiryValue} ${file.expiryUnit}`,
                  file.maxDownloads && `${file.maxDownloads} times at most`,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </Text>
            </div>
            <MoreMenu
              choices={[
                {
                  label: 'Rename',
                  icon: <IconPencil size={16} />,
                  may: writes,
                  go: () => ask({ what: 'name', file }),
                },
                {
                  label: 'Limit its links',
                  icon: <IconClock size={16} />,
                  may: writes,
                  go: () => ask({ what: 'limits', file }),
                },
                {
                  label: 'Delete',
                  icon: <IconTrash size={16} />,
                  isDangerous: true,
                  may: writes,
                  go: () => ask({ what: 'delete', file }),
                },
              ]}
            />
          </Group>
        ))}
      </Stack>
      <Wrong says={upload.error?.fields} />
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
      title="Rename the file"
      opened
      onClose={onClose}
      initial={{ name }}
      action={{
        path: `${PATH}/rename-digital-download-files`,
        method: 'PUT',
        send: (values) => ({ productId, digitalDownloadFileId, ...values }),
        done: 'The file has another name.',
        undo: () => ({
          path: `${PATH}/rename-digital-download-files`,
          method: 'PUT',
          body: { productId, digitalDownloadFileId, name },
          says: 'The file has its name again.',
        }),
      }}
      verb="Rename"
    >
      {(form) => (
        <TextInput
          label="Name"
          description="What buyers save it as."
          required
          data-autofocus
          {...form.getInputProps('name')}
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
      action={{
        path: `${PATH}/delete-digital-download-files`,
        send: ({ status }) => ({ productId, digitalDownloadFileId, status }),
        done: 'The file is deleted.',
      }}
      verb="Delete the file"
    >
      {(form) => (
        <>
          <Text size="sm">Nobody who buys from now on gets it.</Text>
          <Switch
            label="Take it from those who bought it, too"
            {...form.getInputProps('status', { type: 'checkbox' })}
          />
        </>
      )}
    </FormModal>
  )
}
