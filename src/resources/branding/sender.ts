import { isEmail } from '../../lib/email.ts'
import type { Sender } from '../../mail/templates/views.ts'
import { headerText } from '../../mail/words.ts'
import { logoPath } from './logo.ts'
import type { ShownTerms } from './shown.ts'

/** Whom a mail to a customer is from. Names come from callers: on one line each. */
export function senderOf(terms: ShownTerms, publicUrl: string): Sender {
  const { name, email, phone, accent_color: color, logo } = terms
  return {
    name: headerText(name),
    ...(email && isEmail(email) && { email }),
    ...(phone && { phone: headerText(phone) }),
    ...(color && { color }),
    ...(logo && {
      logo: { url: publicUrl + logoPath(logo), width: logo.width, height: logo.height },
    }),
  }
}
