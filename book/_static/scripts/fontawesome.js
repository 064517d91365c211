/* Stands in place of the theme's file of this name: 1.5 MB of script that draws every icon there
   is. The theme's style sheet draws the few that are used, from a font of the site's own. */
