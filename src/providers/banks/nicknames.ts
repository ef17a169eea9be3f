/** Common bank names that are not part of the official name or slug, keyed by bank code. */
const NICKNAMES: Readonly<Record<string, readonly string[]>> = {
  '011': ['fbn', 'firstbank'],
  '023': ['citi bank'],
  '030': ['hbng'],
  '032': ['ubn', 'unionbank'],
  '033': ['uba'],
  '035': ['alat', 'wemabank'],
  '044': ['accessbank'],
  '050': ['eco bank', 'ebn'],
  '057': ['zenithbank'],
  '058': ['gtb', 'gtbank', 'gt bank', 'gtco'],
  '063': ['diamond bank'],
  '068': ['scb', 'stanchart'],
  '070': ['fidelitybank'],
  '076': ['skye bank', 'polarisbank'],
  '082': ['keystonebank'],
  '214': ['fcmb'],
  '215': ['unitybank'],
  '221': ['ibtc', 'stanbicibtc'],
  '232': ['sterlingbank'],
  '50211': ['kuda bank'],
  '50515': ['monie point', 'teamapt'],
  '999991': ['palm pay'],
  '999992': ['o pay', 'paycom'],
}

export const bankNicknames = (code: string): readonly string[] => NICKNAMES[code] ?? []
