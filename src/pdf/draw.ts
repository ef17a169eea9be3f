import { renderInvoicePdf } from './invoice-pdf.ts'
import { renderReceiptPdf } from './receipt-pdf.ts'
import type { Sheet } from './views.ts'

/** The bytes of a sheet. What is equal in the view is equal in every byte. */
export const draw = (sheet: Sheet): Promise<Buffer> =>
  'invoice' in sheet ? renderInvoicePdf(sheet) : renderReceiptPdf(sheet)
