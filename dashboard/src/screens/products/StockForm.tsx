import { NumberInput, Text } from '@mantine/core'
import type { Product } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { t } from '../../texts/products.ts'

interface Values extends Record<string, unknown> {
  quantity: number | string
}

/** How much there is of a product without variants. */
export function StockForm({
  of: { productId, quantity, reserved, tracked },
  opened,
  onClose,
}: {
  of: Product
  opened: boolean
  onClose(): void
}) {
  return (
    <FormModal<Values>
      title={t.adjustStock}
      opened={opened}
      onClose={onClose}
      initial={{ quantity: tracked ? quantity : '' }}
      edits={{
        path: 'payment-service/products/get-product-details',
        query: { productId },
        valuesOf: ({ data }: Envelope<Product>) => ({
          quantity: data.tracked ? data.quantity : '',
        }),
      }}
      action={{
        path: 'payment-service/products/update-product-details',
        method: 'PUT',
        send: ({ quantity: counted }) =>
          counted === ''
            ? { productId, tracked: false }
            : { productId, quantity: Number(counted), tracked: true },
        done: t.theStockIsCounted,
        undo: () => ({
          path: 'payment-service/products/update-product-details',
          method: 'PUT',
          body: tracked ? { productId, quantity, tracked } : { productId, tracked },
          says: t.theStockIsAsIt,
        }),
      }}
      verb={t.setTheStock}
    >
      {(form) => (
        <>
          <Text size="sm">
            {t.howManyYouHaveWith}
            {reserved > 0 && ` (${reserved})`}
            {t.leaveItEmptyToSell}
          </Text>
          <NumberInput
            label={t.quantity}
            min={reserved}
            allowDecimal={false}
            thousandSeparator=","
            data-autofocus
            {...form.getInputProps('quantity')}
          />
        </>
      )}
    </FormModal>
  )
}
