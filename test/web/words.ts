import { type Random, randomFrom } from './random.ts';

/** ISO 639-1 codes of the languages pages are written in. */
export const languages = ['en', 'de', 'fr', 'es'] as const;
export type Language = (typeof languages)[number];

const lists: Readonly<Record<Language, string>> = {
  en: `the of and to in that is was for with his they this have from one had by word but not what all were we when
    your can said there use each which she how their will other about out many then them these some would make like
    into time has look two more write see number way could people than first water been call who oil its now find
    long down day did get come made may part over new sound take only little work know place year live back give
    most very after thing our just name good sentence man think say great where help through much before line right
    too mean old any same tell boy follow came want show also around farm three small set put end does another well
    large must big even such because turn here why ask went men read need land different home move try kind hand
    picture again change off play spell air away animal house point page letter mother answer found study still learn`,
  de: `der die das und ist nicht ein eine ich du er sie wir ihr mit auf für von dem den des sich auch als an nach wie
    im zum zur bei aus über unter zwischen gegen während Haus Straße Wasser Zeit Jahr Tag Mensch Kind Frau Mann Stadt
    Land Arbeit Schule Buch Frage Antwort Weg Leben Welt Hand Auge Freund Garten Wald Fluss Berg Brücke Fenster Tür
    gehen kommen sehen machen geben nehmen finden sprechen schreiben lesen wissen denken bleiben stehen liegen führen
    groß klein alt neu gut schön lang kurz früh spät schnell langsam immer wieder schon noch heute gestern morgen`,
  fr: `le la les un une des et est dans que qui pour pas sur au avec il elle nous vous ils ce cette son ses leur plus
    par mais ou où comme tout bien aussi sans sous entre pendant maison rue eau temps année jour homme femme enfant
    ville pays travail école livre question réponse chemin vie monde main œil ami jardin forêt rivière montagne pont
    fenêtre porte aller venir voir faire donner prendre trouver parler écrire lire savoir penser rester grand petit
    vieux nouveau bon beau long court tôt tard vite lentement toujours encore déjà hier demain aujourd'hui très peu`,
  es: `el la los las un una y es en que de no se por con para su al lo como más pero sus le ya este sí porque esta
    entre cuando muy sin sobre también me hasta hay donde casa calle agua tiempo año día hombre mujer niño ciudad
    país trabajo escuela libro pregunta respuesta camino vida mundo mano ojo amigo jardín bosque río montaña puente
    ventana puerta ir venir ver hacer dar tomar encontrar hablar escribir leer saber pensar quedar grande pequeño
    viejo nuevo bueno hermoso largo corto temprano tarde rápido despacio siempre todavía ayer mañana hoy aquí allí`,
};

const words = new Map<Language, readonly string[]>(
  languages.map((language) => [language, lists[language].split(/\s+/)]),
);

function wordsOf(language: Language): readonly string[] {
  return words.get(language) ?? [];
}

function sentence(random: Random, language: Language): string {
  const count = 6 + random.below(14);
  let text = '';
  for (let i = 0; i < count; i++) {
    if (i > 0) text += random.chance(0.08) ? ', ' : ' ';
    text += random.pick(wordsOf(language));
  }
  return text.charAt(0).toUpperCase() + text.slice(1) + (random.chance(0.1) ? '?' : '.');
}

const bankSize = 2_000;
const banks = new Map<Language, readonly string[]>();

/** Sentences pages are put together from; made once a language, since drawing every word anew costs milliseconds. */
export function sentencesIn(language: Language): readonly string[] {
  let bank = banks.get(language);
  if (bank === undefined) {
    const random = randomFrom(0x5e27e2ce, languages.indexOf(language));
    bank = Array.from({ length: bankSize }, () => sentence(random, language));
    banks.set(language, bank);
  }
  return bank;
}

/** `count` words with a capital letter each, for titles and link texts. */
export function phrase(random: Random, language: Language, count: number): string {
  const picked = Array.from({ length: count }, () => random.pick(wordsOf(language)));
  return picked.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

/** An ASCII word for a path. */
export function slugWord(random: Random): string {
  return random.pick(wordsOf('en'));
}

const syllables = ['ba', 'ke', 'li', 'mo', 'nu', 'ra', 'se', 'ti', 'vo', 'zu'] as const;

/** A name of each number's own, as of a product: `Kelimoqu` of 123. */
export const madeUpName = (number: number): string => {
  const name = String(number).replace(/\d/g, (digit) => syllables[Number(digit)] ?? '');
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}qu`;
};
