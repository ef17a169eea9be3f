import { renderInvoicePdf } from './invoice-pdf.ts'
import { renderReceiptPdf } from './receipt-pdf.ts'
import type { PdfView } from './views.ts'

export const draw = (sheet: PdfView): Promise<Buffer> =>
  'invoice' in sheet ? renderInvoicePdf(sheet) : renderReceiptPdf(sheet)
