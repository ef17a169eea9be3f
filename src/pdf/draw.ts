import { renderInvoicePdf } from './invoice-pdf.ts'
import { renderReceiptPdf } from './receipt-pdf.ts'
import type { PdfView } from './views.ts'

/** Generates a document and returns its bytes. Equal views give equal bytes. */
export const draw = (sheet: PdfView): Promise<Buffer> =>
  'invoice' in sheet ? renderInvoicePdf(sheet) : renderReceiptPdf(sheet)
