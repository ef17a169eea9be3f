/** First and last names that go together, by where in West Africa they are at home. */
export interface People {
  /** How often, against the others. */
  share: number
  first: readonly string[]
  last: readonly string[]
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

export const PEOPLES: readonly People[] = [
  {
    share: 40,
    first: words(`
      Adebayo Adeola Adunni Ayodele Babatunde Bisi Bolanle Damilola Demilade Dotun Ebun Femi
      Folake Funke Gbenga Ifeoluwa Jumoke Kehinde Kemi Kunle Lanre Lola Moyosore Niyi Oluwaseun
      Omotola Peju Remi Rotimi Segun Shade Simisola Sola Taiwo Temitope Tolu Tunde Wale Yemi
      Yetunde`),
    last: words(`
      Adebayo Adeleke Ademola Adesina Adeyemi Afolabi Ajayi Akande Akinola Akinwande Alabi Ayinde
      Babalola Balogun Bamidele Fashola Fasanya Idowu Lawal Odunsi Ogunleye Ojo Okunola Oladipo
      Olaniyan Olatunji Olawale Oni Onabanjo Oyelaran Oyewole Salako Shittu Shonibare Sowande
      Williams`),
  },
  {
    share: 28,
    first: words(`
      Adaeze Amaka Amarachi Chiamaka Chibuzo Chidi Chidinma Chika Chinedu Chinonso Chinwe Chioma
      Chukwuemeka Ebuka Emeka Ezinne Ifeanyi Ifeoma Ijeoma Ikenna Kelechi Kosisochukwu Nkechi
      Nneka Nnamdi Nonso Obinna Ogechi Okechukwu Onyinye Somto Uche Uchenna Ugochi Zikora`),
    last: words(`
      Achebe Agu Anyanwu Azikiwe Chukwu Duru Egbuna Ekwueme Eze Ezeani Igwe Ihejirika Iwu Madu
      Mbah Mbanefo Ndukwe Nnadi Nwachukwu Nwankwo Nwosu Obi Obiora Ogbonna Okafor Okeke Okonkwo
      Okoro Okoye Onuoha Onwudiwe Onyekachi Opara Ugwu Umeh Uzodinma`),
  },
  {
    share: 14,
    first: words(`
      Abba Abubakar Aisha Aliyu Amina Bashir Bilkisu Danjuma Fatima Habiba Hadiza Hauwa Ibrahim
      Isah Jamila Kabiru Khadija Maryam Musa Nafisa Rabiu Rukayya Sadiq Safiya Sani Umar Yakubu
      Zainab Zara`),
    last: words(`
      Abdullahi Adamu Aliyu Bala Bello Dangana Danladi Garba Gumel Hassan Ibrahim Idris Jibril
      Kabir Kwankwaso Lawan Mohammed Musa Sanusi Shehu Suleiman Tanko Umar Usman Waziri Yusuf`),
  },
  {
    share: 10,
    first: words(`
      Aniekan Blessing Daniel Ebiere Edidiong Efe Ejiro Ekaette Eseosa Etim Grace Idara Imaobong
      Inemesit Isoken Joy Mercy Nosa Osagie Osaze Preye Tari Timi Victor Voke`),
    last: words(`
      Aigbe Akpan Bassey Briggs Dappa Edet Effiong Ekpo Emokpae Erhabor Essien Etuk Ighodaro
      Inyang Jumbo Obaseki Okpara Omoregie Osaghae Otobo Sagay Tamuno Udoh Umoh Uwaifo`),
  },
  {
    share: 8,
    first: words(`
      Abena Aïssatou Akosua Ama Aminata Awa Esi Fatou Kofi Kojo Kouamé Kwabena Kwame Mamadou
      Mariam Mensah Moussa Ousmane Salimata Sékou Yaa Yaw`),
    last: words(`
      Agyeman Amoah Appiah Asante Ba Boateng Coulibaly Darko Diallo Diop Kamara Koffi Koné Kouassi
      Mensah Ndiaye Owusu Quaye Sow Touré Traoré Yeboah`),
  },
]

/** Of organisations: a name and what they are. */
export const HOUSES: readonly string[] = words(`
      Adire Amber Atlantic Baobab Bluewater Calabar Coral Creekside Delta Eko Emerald Harmattan
      Ibadan Indigo Iroko Jacaranda Kaduna Lagoon Lekki Mahogany Marina Meridian Niger Oasis Obudu
      Orchid Palmgrove Savannah Sunrise Terracotta Tinubu Unity Victoria Yaba Zuma`)

export const TRADES: readonly string[] = [
  'Hotel',
  'Suites',
  'Guest House',
  'Interiors',
  'Bridal Studio',
  'Events',
  'Schools',
  'Clinic',
  'Restaurant',
  'Apartments',
  'Chambers',
  'Boutique',
  'Workspace',
  'Parish Hall',
  'Media',
]

export const AREAS: readonly string[] = [
  'Ajah',
  'Alaba',
  'Apapa',
  'Festac',
  'Gbagada',
  'Ikeja GRA',
  'Ikorodu',
  'Ikoyi',
  'Lekki Phase 1',
  'Magodo',
  'Maryland',
  'Ogudu',
  'Oshodi',
  'Surulere',
  'Victoria Island',
  'Yaba',
]
