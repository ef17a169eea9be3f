import { TextInput } from '@mantine/core'
import type { DeliveryFee } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { t } from '../../texts/en.ts'

interface Values extends Record<string, unknown> {
  location: string
  fees: number | string
}

const valuesOf = (fee: DeliveryFee | undefined): Values => ({
  location: fee?.location ?? '',
  fees: fee ? Number(fee.fees) : '',
})

/** What it costs to bring a product to one place; a place has one fee. */
export function FeeForm({
  productId,
  fee,
  opened,
  onClose,
}: {
  productId: string
  fee?: DeliveryFee
  opened: boolean
  onClose(): void
}) {
  const path = 'payment-service/products'
  return (
    <FormModal<Values>
      title={fee ? `Fee for ${fee.location}` : 'New delivery fee'}
      opened={opened}
      onClose={onClose}
      initial={valuesOf(fee)}
      edits={
        fee && {
          path: `${path}/get-delivery-fees`,
          query: { productId },
          valuesOf: ({ data }: Envelope<DeliveryFee[]>) => {
            const now = data.find(({ id }) => id === fee.id)
            return now && valuesOf(now)
          },
        }
      }
      action={{
        path: `${path}/${fee ? 'update-delivery-fees' : 'add-delivery-fees'}`,
        method: fee ? 'PUT' : 'POST',
        // Fees are decimal text in the contract.
        send: ({ location, fees }) =>
          fee
            ? { productId, deliveryFeeId: fee.id, fees: Number(fees).toFixed(2) }
            : { productId, location: location.trim(), fees: Number(fees).toFixed(2) },
        done: fee ? t.action.saved : 'The fee is set.',
        undo: () =>
          fee && {
            path: `${path}/update-delivery-fees`,
            method: 'PUT',
            body: { productId, deliveryFeeId: fee.id, fees: Number(fee.fees).toFixed(2) },
            says: 'The fee is as it was before.',
          },
      }}
      validate={{
        location: (location) => (location.trim() ? null : 'Where to?'),
        fees: (fees) => (fees === '' ? 'What does it cost? 0 is free.' : null),
      }}
      verb={fee ? t.action.save : 'Set the fee'}
    >
      {(form) => (
        <>
          <TextInput
            label="Place"
            description="Such as Lagos; Everywhere is for all others."
            required
            disabled={fee !== undefined}
            data-autofocus={fee === undefined}
            maxLength={100}
            {...form.getInputProps('location')}
          />
          <MoneyInput
            label="Fee"
            required
            currency={fee?.currency}
            data-autofocus={fee !== undefined}
            {...form.getInputProps('fees')}
          />
        </>
      )}
    </FormModal>
  )
}
