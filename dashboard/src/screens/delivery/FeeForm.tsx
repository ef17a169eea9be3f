import { TagsInput, TextInput } from '@mantine/core'
import type { DeliveryFee } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { t as own } from '../../texts/delivery.ts'
import { t } from '../../texts/en.ts'

interface Values extends Record<string, unknown> {
  locations: string[]
  fees: number | string
}

const valuesOf = (fee: DeliveryFee | undefined): Values => ({
  locations: fee ? [fee.location] : [],
  fees: fee ? Number(fee.fees) : '',
})

/** The place for all places that have no fee of their own; the API knows it by this name. */
const EVERYWHERE = 'Everywhere'

/** What it costs to bring a product to some places; a place has one fee. */
export function FeeForm({
  productId,
  fee,
  taken = [],
  opened,
  onClose,
}: {
  productId: string
  fee?: DeliveryFee
  /** Places that have a fee already. */
  taken?: readonly string[]
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
        send: ({ locations, fees }) =>
          fee
            ? { productId, deliveryFeeId: fee.id, fees: Number(fees).toFixed(2) }
            : locations.map((location) => ({
                productId,
                location,
                fees: Number(fees).toFixed(2),
              })),
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
        locations: (locations) => {
          if (fee) return null
          const again = locations.find((one) => taken.some((other) => isSame(one, other)))
          if (again) return own.hasAFee(again)
          return locations.length > 0 ? null : own.whereTo
        },
        fees: (fees) => (fees === '' ? own.whatDoesItCost : null),
      }}
      verb={fee ? t.action.save : own.setTheFee}
    >
      {(form) => (
        <>
          {fee ? (
            <TextInput label={own.place} value={fee.location} disabled />
          ) : (
            <TagsInput
              label={own.places}
              description={own.suchAsLagosEverywhereIs}
              placeholder={form.values.locations.length === 0 ? own.lagos : undefined}
              data={[EVERYWHERE, ...STATES].filter(
                (one) => !taken.some((other) => isSame(one, other)),
              )}
              limit={40}
              acceptValueOnBlur
              clearable
              required
              maxTags={20}
              maxLength={100}
              data-autofocus
              comboboxProps={{ withinPortal: true }}
              {...form.getInputProps('locations')}
            />
          )}
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

const isSame = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase()

/** Where most shops deliver; any other place can be typed. */
const STATES = [
  ...['Abia', 'Abuja', 'Adamawa', 'Akwa Ibom', 'Anambra', 'Bauchi', 'Bayelsa', 'Benue', 'Borno'],
  ...['Cross River', 'Delta', 'Ebonyi', 'Edo', 'Ekiti', 'Enugu', 'Gombe', 'Imo', 'Jigawa'],
  ...['Kaduna', 'Kano', 'Katsina', 'Kebbi', 'Kogi', 'Kwara', 'Lagos', 'Nasarawa', 'Niger'],
  ...['Ogun', 'Ondo', 'Osun', 'Oyo', 'Plateau', 'Rivers', 'Sokoto', 'Taraba', 'Yobe', 'Zamfara'],
]
