import { Group, Stack, Switch, Text, TextInput } from '@mantine/core'
import { IconClock, IconPencil, IconTrash, IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import type { DigitalDownloadFile, Product } from '../../../../sdk/src/operations.ts'
import { bytesOf } from '../../parts/bytes.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { DropZone } from '../../parts/DropZone.tsx'
import { FormModal } from '../../parts/FormModal.tsx'
import { MoreMenu } from '../../parts/MoreMenu.tsx'
import { Uploads, useUploads } from '../../parts/uploads.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/products.ts'
import { LimitsForm } from './LimitsForm.tsx'

const PATH = 'payment-service/products'

export const FILES = { bytesMax: 500 * 1024 * 1024, says: t.anyTypeUpTo500 }

/** Where the files of a product are sent to. */
export const fileTarget = (productId: string) => ({
  ...FILES,
  path: `${PATH}/add-digital-download-files`,
  fields: { productId },
})
export const filesOf = (productId: string): string => `products/${productId}/files`

/** What buyers download once they paid. */
export function Files({ of: { productId, digitalFiles } }: { of: Product }) {
  const writes = useMay()('products:write')
  const [asked, ask] = useState<{ what: 'name' | 'limits' | 'delete'; file: DigitalDownloadFile }>()
  const uploads = useUploads(filesOf(productId), fileTarget(productId))
  const close = () => ask(undefined)
  return (
    <Card title={t.files}>
      {digitalFiles.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          {t.buyersGetALinkToEach}
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
                  label: t.rename,
                  icon: <IconPencil size={16} />,
                  may: writes,
                  go: () => ask({ what: 'name', file }),
                },
                {
                  label: t.limitItsLinks,
                  icon: <IconClock size={16} />,
                  may: writes,
                  go: () => ask({ what: 'limits', file }),
                },
                {
                  label: t.deleteIt,
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
      {writes && (
        <div style={{ marginTop: digitalFiles.length > 0 ? 'var(--s4)' : 0 }}>
          <DropZone
            verb={t.addFiles}
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
      title={t.renameTheFile}
      opened
      onClose={onClose}
      initial={{ name }}
      action={{
        path: `${PATH}/rename-digital-download-files`,
        method: 'PUT',
        send: (values) => ({ productId, digitalDownloadFileId, ...values }),
        done: t.theFileHasAnotherName,
        undo: () => ({
          path: `${PATH}/rename-digital-download-files`,
          method: 'PUT',
          body: { productId, digitalDownloadFileId, name },
          says: t.theFileHasItsName,
        }),
      }}
      verb={t.rename}
    >
      {(form) => (
        <TextInput
          label={t.name}
          description={t.whatBuyersSaveItAs}
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
      title={t.askToDelete(name)}
      opened
      onClose={onClose}
      initial={{ status: false }}
      action={{
        path: `${PATH}/delete-digital-download-files`,
        send: ({ status }) => ({ productId, digitalDownloadFileId, status }),
        done: t.theFileIsDeleted,
      }}
      verb={t.deleteTheFile}
    >
      {(form) => (
        <>
          <Text size="sm">{t.nobodyWhoBuysFromNow}</Text>
          <Switch
            label={t.takeItFromThoseWho}
            {...form.getInputProps('status', { type: 'checkbox' })}
          />
        </>
      )}
    </FormModal>
  )
}
