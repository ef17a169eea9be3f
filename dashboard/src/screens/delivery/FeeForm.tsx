import { TextInput } from '@mantine/core'
import type { DeliveryFee } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { t as own } from '../../texts/delivery.ts'
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
      title={fee ? own.feeFor(fee.location) : own.newDeliveryFee}
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
        done: fee ? t.action.saved : own.theFeeIsSet,
        undo: () =>
          fee && {
            path: `${path}/update-delivery-fees`,
            method: 'PUT',
            body: { productId, deliveryFeeId: fee.id, fees: Number(fee.fees).toFixed(2) },
            says: own.theFeeIsAsIt,
          },
      }}
      validate={{
        location: (location) => (location.trim() ? null : own.whereTo),
        fees: (fees) => (fees === '' ? own.whatDoesItCost : null),
      }}
      verb={fee ? t.action.save : own.setTheFee}
    >
      {(form) => (
        <>
          <TextInput
            label={own.place}
            description={own.suchAsLagosEverywhereIs}
            required
            disabled={fee !== undefined}
            data-autofocus={fee === undefined}
            maxLength={100}
            {...form.getInputProps('location')}
          />
          <MoneyInput
            label={own.fee}
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
