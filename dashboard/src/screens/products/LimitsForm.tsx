import { Group, NumberInput, Select } from '@mantine/core'
import type { DigitalDownloadFile } from '../../../../sdk/src/operations.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { t } from '../../texts/products.ts'

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
      title={t.limitItsLinks}
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
        done: t.itHoldsForLinksThat,
      }}
      verb={t.save}
    >
      {(form) => (
        <>
          <Group align="flex-start" grow>
            <NumberInput
              label={t.aLinkIsGoodFor}
              placeholder={t.ever}
              min={1}
              allowDecimal={false}
              data-autofocus
              {...form.getInputProps('expiryValue')}
            />
            <Select
              label={t.unit}
              data={['minutes', 'hours', 'days']}
              allowDeselect={false}
              {...form.getInputProps('expiryUnit')}
            />
          </Group>
          <NumberInput
            label={t.downloadsAtMost}
            placeholder={t.withoutLimit}
            min={1}
            allowDecimal={false}
            {...form.getInputProps('maxDownloads')}
          />
        </>
      )}
    </FormModal>
  )
}
