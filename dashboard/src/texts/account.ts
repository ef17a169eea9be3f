export const t = {
  email: 'E-mail address',
  password: 'Password',
  passwordHelp: 'At least 12 characters. A few words that belong to nobody else are best.',
  name: 'Your name',
  code: 'Code of your authenticator app',
  codeHelp: 'Or one of your recovery codes.',
  back: 'Back to sign in',
  signIn: { title: 'Sign in', go: 'Sign in', forgot: 'Forgotten your password?' },
  passkey: { go: 'Use a passkey', failed: 'No passkey was used.' },
  signUp: {
    title: (business: string | undefined) =>
      business ? `Join ${business}` : 'Create your account',
    text: (role: string | undefined) =>
      role === 'owner' || !role
        ? 'You will be the owner: you can invite others, and decide what they may do.'
        : `You were invited as ${role}.`,
    go: 'Create the account',
  },
  badLink: {
    title: 'This link is no longer good',
    text: 'It was used, or its time is over. Ask whoever gave it to you for another.',
  },
  forgot: {
    title: 'Forgotten your password?',
    text: 'We send a link to your address with which you set another.',
    go: 'Send the link',
    sentTitle: 'Look into your mail',
    sentText:
      'If there is an account with that address, a link is on its way. It is good for 30 minutes.',
  },
  reset: {
    title: 'A new password',
    text: 'All your other sessions end with it.',
    go: 'Set the password',
  },
}
