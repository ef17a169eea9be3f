import { PagePreview } from '../../parts/PagePreview.tsx'
import { pictureAt } from '../../parts/values.tsx'
import { t } from '../../texts/pages.ts'
import type { Values } from './values.ts'

/** What payers will see, as it is being made. */
export function Preview({ values, currency }: { values: Values; currency: string }) {
  const { title, description, color, amountType, suggestedAmounts, productIds } = values
  const { collectPhone, collectAddress, allowDiscountCodes } = values
  const sells = amountType === 'products'
  return (
    <PagePreview
      of={{
        title: title.trim() || t.title,
        description,
        currency,
        image: pictureAt(values.image) ?? '',
        ...(/^#[0-9a-f]{6}$/i.test(color) && { color }),
        ...(sells
          ? { productIds }
          : { amountType, amount: String(values.amount), suggestedAmounts }),
        customFields: values.customFields.map(({ label, type, required, options }) => ({
          label: label || '…',
          type,
          required,
          options,
        })),
        ...{ collectPhone, collectAddress, allowDiscountCodes },
      }}
    />
  )
}
