import { Group, NumberInput, Select } from '@mantine/core'
import type { DigitalDownloadFile } from '../../../../sdk/src/operations.ts'
import { FormModal } from '../../parts/FormModal.tsx'

interface Values extends Record<string, unknown> {
  expiryValue: number | string
  expiryUnit: string
  maxDownloads: number | string
}

const orNull = (value: number | string): number | null => (value === '' ? null : Number(value))

/** For how long, and how often, buyers can download a file. */
export function LimitsForm({
  of: { productId, digitalDownloadFileId, expiryValue, expiryUnit, maxDownloads },
  onClose,
}: {
  of: DigitalDownloadFile
  onClose(): void
}) {
  return (
    <FormModal<Values>
      title="Limit its links"
      opened
      onClose={onClose}
      initial={{
        expiryValue: expiryValue ?? '',
        expiryUnit: expiryUnit ?? 'days',
        maxDownloads: maxDownloads ?? '',
      }}
      action={{
        path: 'payment-service/products/set-download-link-expiry',
        method: 'PUT',
        send: (values) => ({
          productId,
          digitalDownloadFileId,
          expiryValue: orNull(values.expiryValue),
          expiryUnit: values.expiryValue === '' ? null : values.expiryUnit,
          maxDownloads: orNull(values.maxDownloads),
        }),
        done: 'It holds for links that are given from now on.',
      }}
      verb="Save"
    >
      {(form) => (
        <>
          <Group align="flex-start" grow>
            <NumberInput
              label="A link is good for"
              placeholder="Ever"
              min={1}
              allowDecimal={false}
              data-autofocus
              {...form.getInputProps('expiryValue')}
            />
            <Select
              label="Unit"
              data={['minutes', 'hours', 'days']}
              allowDeselect={false}
              {...form.getInputProps('expiryUnit')}
            />
          </Group>
          <NumberInput
            label="Downloads at most"
            placeholder="Without limit"
            min={1}
            allowDecimal={false}
            {...form.getInputProps('maxDownloads')}
          />
        </>
      )}
    </FormModal>
  )
}
