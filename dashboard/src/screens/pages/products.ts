import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import type { PaymentPage } from '../../../../sdk/src/operations.ts'
import { call } from '../../api/call.ts'
import { t } from '../../texts/pages.ts'

const PATH = 'payment-service/payment-pages'

/** Puts on a page that exists what is new among its products, and takes off the others. */
export function useProductsOf(page: PaymentPage | undefined) {
  const queries = useQueryClient()
  return async (wanted: string[]): Promise<void> => {
    if (!page) return
    const had = page.products.map(({ productId }) => productId)
    const added = wanted.filter((id) => !had.includes(id))
    const gone = had.filter((id) => !wanted.includes(id))
    try {
      if (added.length > 0) await change('payment-page-add-product', page.id, added)
      if (gone.length > 0) await change('payment-page-delete-product', page.id, gone)
    } catch (error) {
      notifications.show({
        title: t.theProductsStayAsThey,
        message: (error as Error).message,
        color: 'red',
      })
    }
    await queries.invalidateQueries()
  }
}

const change = (operation: string, pageId: number, productIds: string[]) =>
  call(`${PATH}/${operation}`, { method: 'POST', body: { pageId, productIds } })
